import { setImmediate as turn } from 'node:timers/promises'
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import type { Invoke, TaskAnswer } from '../../local/engines/step-functions/invoke.ts'
import { isObject, type Json, parseJson } from '../../local/host/template/json.ts'
import { startStepFunctions } from '../local/engines/step-functions/start-step-functions.ts'
import { type Case, type Step, substitute } from './case-file.ts'

/** How an execution went. */
export interface Outcome {
  readonly status: string
  readonly output?: Json
  readonly error?: string
  readonly entered: readonly string[]
  readonly events: readonly HistoryEvent[]
  /** Answers that nobody asked for. */
  readonly unused: Readonly<Record<string, readonly Step[]>>
}

/** Runs one case on the local Step Functions, through the unmodified client, leaping from one due time to the next. */
export async function runCase(machine: string, definition: string, test: Case): Promise<Outcome> {
  const left = new Map(Object.entries(test.responses).map(([state, steps]) => [state, [...steps]]))
  const agenda: { at: number; run: () => unknown }[] = []
  let delayed = 0
  const later = (seconds: number, run: () => unknown) => agenda.push({ at: clock.now() + seconds * 1000, run })

  const invoke: Invoke = async ({ functionName, payload }) => {
    const state = functionName.split('/').at(-1) ?? ''
    const step = left.get(state)?.shift()
    if (step === undefined) throw new Error(`The case has no more answers for ${state}.`)
    const token = isObject(payload) ? payload['token'] : undefined
    if (step.callback != null && typeof token === 'string') scheduleCallback(step, token)
    if (step.delay !== undefined) {
      delayed++
      await new Promise<void>((resolve) => later(step.delay ?? 0, resolve))
      delayed--
    }
    return answerOf(step)
  }
  const scheduleCallback = ({ callback, after }: Step, taskToken: string) =>
    later(after, () => {
      if (callback == null) return undefined
      if ('failure' in callback) return client.send(new SendTaskFailureCommand({ taskToken, ...callback.failure }))
      return client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(callback.success) }))
    })

  const { engine, client, clock, reports, stop } = await startStepFunctions({ invoke })
  try {
    const { arn } = await engine.putMachine(machine, withOwnFunctions(substitute(definition, test.substitutions)))
    const start = new StartExecutionCommand({ stateMachineArn: arn, name: 'case', input: JSON.stringify(test.input) })
    const { executionArn } = await client.send(start)
    const describe = () => client.send(new DescribeExecutionCommand({ executionArn }))
    for (;;) {
      while (engine.isRunning() && delayed === 0) await turn()
      const { status } = await describe()
      if (status !== 'RUNNING') break
      const [first] = agenda.sort((a, b) => a.at - b.at)
      const next = Math.min(first?.at ?? Number.POSITIVE_INFINITY, engine.nextDueAt() ?? Number.POSITIVE_INFINITY)
      if (next === Number.POSITIVE_INFINITY) throw new Error('The execution waits for nothing.')
      clock.leapTo(next)
      if (first?.at === next) await agenda.shift()?.run()
      await rung(engine, next)
    }
    if (reports.length > 0) throw new Error(reports.join('\n'))
    const { status = '', output, error } = await describe()
    const history = new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 })
    const { events = [] } = await client.send(history)
    return {
      status,
      ...(output !== undefined && { output: parseJson(output) }),
      ...(error !== undefined && { error }),
      entered: events.flatMap(({ stateEnteredEventDetails: entered }) => entered?.name ?? []),
      events,
      unused: Object.fromEntries([...left].filter(([, steps]) => steps.length > 0)),
    }
  } finally {
    await stop()
  }
}

/** Waits until the engine has done what was due at an instant. */
async function rung(engine: { nextDueAt(): number | undefined }, at: number): Promise<void> {
  while ((engine.nextDueAt() ?? Number.POSITIVE_INFINITY) <= at) await turn()
}

/** Each Task calls a function of its own, so that a case can answer by state. */
function withOwnFunctions(definition: string): string {
  const own = (states: Json | undefined): void => {
    if (!isObject(states)) return
    for (const [name, state] of Object.entries(states)) {
      if (!isObject(state)) continue
      if (isObject(state['Arguments'])) state['Arguments']['FunctionName'] = `function/${name}`
      if (isObject(state['ItemProcessor'])) own(state['ItemProcessor']['States'])
    }
  }
  const document = parseJson(definition)
  if (isObject(document)) own(document['States'])
  return JSON.stringify(document)
}

function answerOf(step: Step): TaskAnswer {
  if (step.throw !== undefined) return { ok: false, ...step.throw }
  if (step.lambdaError === undefined) return { ok: true, value: { Payload: step.return ?? null, StatusCode: 200 } }
  return { ok: false, error: step.lambdaError.errorType, cause: JSON.stringify(step.lambdaError) }
}
