import { accessLogBytes } from './access-log.ts'
import { nameOf, type StepOf, usualInvocations } from './billed-duration.ts'
import type { Metered } from './meter-tables.ts'
import { addUsage, noUsage, scaleUsage, type Usage } from './prices.ts'
import type { Call, Invocation } from './recording.ts'
import { sqsRequests } from './units.ts'

/** CloudWatch counts this for each log event beside its text. Source: CloudWatch Logs, PutLogEvents */
const LOG_EVENT_BYTES = 26
const MB_MS_PER_GB_S = 1024 * 1000

/** What one step of a payment took over the whole run. */
export interface StepUse {
  readonly usage: Usage
  readonly invocations: number
  /** Records handled. */
  readonly subjects: number
  readonly calls: number
  readonly failedCalls: number
  readonly measuredMs: number
  readonly cpuMs: number
  readonly billedMs: number
}

const noUse: StepUse = {
  usage: noUsage,
  invocations: 0,
  subjects: 0,
  calls: 0,
  failedCalls: 0,
  measuredMs: 0,
  cpuMs: 0,
  billedMs: 0,
}

/**
 * Sums up a run by step. What an invocation spends on several records is shared out evenly among them.
 * @param traced share of the invocations that X-Ray is sent; none when the stage has no tracing
 */
export function meterSteps(
  invocations: readonly Invocation[],
  metered: ReadonlyMap<Call, Metered>,
  stepOf: StepOf,
  traced = 0,
): ReadonlyMap<string, StepUse> {
  const steps = new Map<string, StepUse>()
  const add = (step: string, more: Partial<StepUse>) => {
    const { usage, ...sums } = steps.get(step) ?? noUse
    steps.set(step, {
      usage: addUsage(usage, more.usage ?? {}),
      invocations: sums.invocations + (more.invocations ?? 0),
      subjects: sums.subjects + (more.subjects ?? 0),
      calls: sums.calls + (more.calls ?? 0),
      failedCalls: sums.failedCalls + (more.failedCalls ?? 0),
      measuredMs: sums.measuredMs + (more.measuredMs ?? 0),
      cpuMs: sums.cpuMs + (more.cpuMs ?? 0),
      billedMs: sums.billedMs + (more.billedMs ?? 0),
    })
  }
  const usual = usualInvocations(invocations, stepOf)
  for (const invocation of invocations) {
    const { folder, subjects, calls } = invocation
    const share = 1 / subjects.length
    const { measuredMs = 0, cpuMs = 0, billedMs = 0 } = usual.get(nameOf(invocation, stepOf)) ?? {}
    const own = usageOfInvocation(invocation, billedMs, traced)
    for (const subject of subjects) {
      const step = stepOf(folder, subject)
      add(step, {
        usage: scaleUsage(own, share),
        invocations: share,
        subjects: 1,
        measuredMs: measuredMs * share,
        cpuMs: cpuMs * share,
        billedMs: billedMs * share,
      })
    }
    for (const call of calls) {
      if (call.service === 'SecretsManager') continue // once in five minutes per environment, not per payment
      const about = subjects.filter(({ taskNo }) => taskNo !== undefined && taskNo === call.taskNo)
      const payers = about.length === 0 ? subjects : about
      const usage = usageOfCall(call, metered.get(call))
      for (const subject of payers) {
        const part = 1 / payers.length
        const failed = call.ok ? 0 : part
        add(stepOf(folder, subject), {
          usage: scaleUsage(usage, part),
          calls: call.requests * part,
          failedCalls: failed,
        })
      }
    }
  }
  return steps
}

function usageOfInvocation(
  { folder, memoryMb, logBytes, logLines, subjects }: Invocation,
  billedMs: number,
  traced: number,
): Usage {
  const isHttp = folder === 'ingress' || folder === 'orders'
  const isFromQueue = folder === 'settle' || folder === 'work'
  const received = subjects.reduce((sum, { messageBytes }) => sum + messageBytes, 0)
  const events = logLines + (isHttp ? 1 : 0)
  const accessLog = isHttp ? subjects.reduce((sum, { step }) => sum + accessLogBytes(step), 0) : 0
  const bytes = logBytes + accessLog + events * LOG_EVENT_BYTES
  return {
    ...noUsage,
    httpRequest: isHttp ? 1 : 0,
    lambdaRequest: 1,
    lambdaGbSecond: (billedMs * memoryMb) / MB_MS_PER_GB_S,
    // The mapping receives the batch and deletes it with one request each, by 64 KB.
    sqsRequest: isFromQueue ? sqsRequests(received) + 1 : 0,
    logGb: bytes / 1024 ** 3,
    trace: traced,
  }
}

function usageOfCall({ command, requests, payloadBytes }: Call, metered: Metered | undefined): Usage {
  const writes = metered?.writes ?? []
  return {
    ...noUsage,
    writeUnit: writes.reduce((sum, write) => sum + write.tableUnits + write.indexUnits, 0),
    readUnit: metered?.readUnits ?? 0,
    sqsRequest: command === 'SendMessage' ? sqsRequests(payloadBytes) * requests : command === 'CreateSchedule' ? 1 : 0,
    // Making a schedule is free; its one invocation and the message it sends are not.
    schedule: command === 'CreateSchedule' ? 1 : 0,
    busEvent: command === 'PutEvents' ? sqsRequests(payloadBytes) : 0,
  }
}
