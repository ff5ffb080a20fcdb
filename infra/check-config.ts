import { LONGEST_CALLS_MS } from '../functions/work/longest-calls.ts'
import { JITTER_SHARE, type Ladder } from '../modules/core/back-off.ts'
import { checkGateConfig, gateConfigOf } from '../modules/core/gate/config.ts'
import { NOTICES_GATE } from '../modules/core/notice.ts'
import { policyOf, type TaskPolicy, taskTypes } from '../modules/core/task-policies.ts'
import type { StageConfig } from './config-schema.ts'
import { gatesOf, lanesOf } from './lanes.ts'
import { checkParameterLengths } from './parameter-values.ts'
import { SIMULATOR_ROOT_PEM } from './simulator-root.ts'

/** SQS recommends a visibility of six function time-outs. Source: Lambda guide, "Using Lambda with Amazon SQS". */
export const VISIBILITY_FACTOR = 6
/** DynamoDB drops a stream record after a day. Source: DynamoDB guide, "Change data capture for DynamoDB Streams". */
const STREAM_RETENTION_HOURS = 24
/** A message gone from its queue after 14 days is gone from the dead-letter queue too: its age counts from the first send. */
const DLQ_RETENTION_HOURS = 14 * 24
const MIN_RECEIVES = 5
/**
 * The rules between settings, which no schema can see.
 * @returns one sentence per broken rule, each naming the setting
 * Source: docs/design/task-times.md, Worker times; docs/design/task-types.md
 */
export function checkConfig(config: StageConfig): string[] {
  const isLocal = config.stage === 'local'
  return [
    ...checkChannels(config),
    ...checkRoots(config, isLocal),
    ...checkAddresses(config, isLocal),
    ...checkWorkerTimes(config),
    ...checkPolicies(config),
    ...checkCloseTime(config),
    ...checkTransport(config),
    ...checkGates(config),
    ...checkParameterLengths(config),
    ...checkReserved(config),
  ]
}

function checkChannels({ channels }: StageConfig): string[] {
  const ids = channels.map((channel) => channel.account.id)
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  const reserved = ids.filter((id) => id === 'merchant' || id === 'internal' || id === NOTICES_GATE)
  return [
    ...repeated.map((id) => `channels: the id "${id}" is given twice; it stands in keys and must name one account.`),
    ...reserved.map(
      (id) => `channels: the id "${id}" is the name of a lane or gate of Backstop's own; choose another.`,
    ),
  ]
}

/** Anybody can sign by the simulator's root: its key is in the source. */
function checkRoots({ channels }: StageConfig, isLocal: boolean): string[] {
  if (isLocal) return []
  return channels.flatMap(({ account }) =>
    account.kind === 'paypal' && account.certRootPems?.some(isSimulatorRoot) === true
      ? [
          `channels: "${account.id}" trusts the simulator's root, whose key is public; leave certRootPems out for the public roots.`,
        ]
      : [],
  )
}

function isSimulatorRoot(pem: string): boolean {
  const bare = (text: string): string => text.replaceAll(/\s/g, '')
  return bare(pem).includes(bare(SIMULATOR_ROOT_PEM))
}

function checkGates(config: StageConfig): string[] {
  const known = new Set(gatesOf(config))
  return Object.keys(config.gates).flatMap((lane) =>
    known.has(lane)
      ? checkGateConfig(lane, gateConfigOf(lane, config.gates))
      : [`gates: "${lane}" is no gate; name a channel, merchant or notices.`],
  )
}

function checkAddresses({ merchant }: StageConfig, isLocal: boolean): string[] {
  if (isLocal) return []
  const addresses = [
    ['deliveryUrl', merchant.deliveryUrl],
    ...Object.entries(merchant.interfaces).map(([name, url]) => [`interfaces.${name}`, url]),
  ]
  return addresses
    .filter(([, url]) => url?.startsWith('https://') !== true)
    .map(([name, url]) => `merchant.${name}: ${url} is not https; only the local stage may deliver in the clear.`)
}

function checkWorkerTimes({ work }: StageConfig): string[] {
  return when(
    LONGEST_CALLS_MS >= work.timeoutSeconds * 1000,
    `work.timeoutSeconds: ${work.timeoutSeconds} s must be longer than all calls of a task together (${LONGEST_CALLS_MS} ms).`,
  )
}

function checkPolicies(config: StageConfig): string[] {
  const channels = config.channels.map((channel) => channel.account.id)
  const unknown = Object.keys(config.policies)
    .filter((key) => key.includes('/') && !channels.some((id) => key.endsWith(`/${id}`)))
    .map((key) => `policies.${key}: names no configured channel.`)
  const faults = taskTypes.flatMap((type) =>
    [undefined, ...channels].flatMap((channel) => checkPolicy(config, type, channel)),
  )
  return [...unknown, ...new Set(faults)]
}

function checkPolicy(config: StageConfig, type: (typeof taskTypes)[number], channel: string | undefined): string[] {
  const policy = policyOf(type, channel, config.policies)
  const ofChannel = channel !== undefined && config.policies[`${type}/${channel}`] !== undefined
  const setting = `policies.${ofChannel ? `${type}/${channel}` : type}`
  const timeoutMs = config.work.timeoutSeconds * 1000
  const visibilityMs = VISIBILITY_FACTOR * timeoutMs
  const ladderMs = Math.round(lengthOf(policy.ladder) * (1 + JITTER_SHARE))
  return [
    ...when(
      ladderMs > policy.totalMs,
      `${setting}: the ladder needs ${ladderMs} ms (jitter included) but the total time limit is ${policy.totalMs} ms.`,
    ),
    ...when(
      policy.leaseMs <= timeoutMs,
      `${setting}.leaseMs: ${policy.leaseMs} must be longer than work.timeoutSeconds (${timeoutMs} ms), else two workers hold one task.`,
    ),
    ...when(
      policy.leaseMs >= visibilityMs,
      `${setting}.leaseMs: ${policy.leaseMs} must be shorter than the visibility of the task queues (${visibilityMs} ms), else a redelivery meets a live lease.`,
    ),
    ...checkClosedEnd(setting, type, policy),
  ]
}

/** Only a notice may end without a person: its replay exists, and its order is not affected. */
function checkClosedEnd(setting: string, type: string, policy: TaskPolicy): string[] {
  return when(
    policy.exhausted === 'CLOSED' && type !== 'NOTIFY',
    `${setting}.exhausted: CLOSED would drop the task in silence; only NOTIFY may end so, others end with a person.`,
  )
}

function checkCloseTime({ closeAfterMinutes, policies }: StageConfig): string[] {
  const query = policyOf('QUERY_PAYMENT', undefined, policies)
  const closeMs = closeAfterMinutes * 60_000
  const firstAsksMs = query.ladder.kind === 'steps' ? sum(query.ladder.stepsMs.slice(0, 3)) : 0
  return [
    ...when(
      closeMs <= firstAsksMs || closeAfterMinutes < 1,
      `closeAfterMinutes: ${closeAfterMinutes} is too short: the channel is first asked three times (${firstAsksMs} ms).`,
    ),
    ...when(
      closeMs >= query.totalMs,
      `closeAfterMinutes: ${closeAfterMinutes} must end before QUERY_PAYMENT gives up (${query.totalMs} ms), else nobody watches the open order.`,
    ),
  ]
}

/** Below what its queues may start at once, Lambda throttles, and each throttled start uses up a receive of its messages. */
function checkReserved(config: StageConfig): string[] {
  const { settle, work, sweep } = config.reservedConcurrency
  const ofLanes = sum(lanesOf(config).map(({ maxConcurrency }) => maxConcurrency))
  return [
    ...when(
      settle !== undefined && settle < config.settle.maxConcurrency,
      `reservedConcurrency.settle: ${settle} is below settle.maxConcurrency (${config.settle.maxConcurrency}).`,
    ),
    ...when(
      work !== undefined && work < ofLanes,
      `reservedConcurrency.work: ${work} is below what all lanes may start at once (${ofLanes}).`,
    ),
    ...when(
      sweep !== undefined && sweep < 2,
      'reservedConcurrency.sweep: must be 2, so that a slow round stops no other.',
    ),
  ]
}

/** Messages and stream records that are still being tried must not outlive the place that keeps them. */
function checkTransport({ queues, streams, work }: StageConfig): string[] {
  const receivesMs = queues.maxReceiveCount * VISIBILITY_FACTOR * work.timeoutSeconds * 1000
  const retentionMs = queues.retentionHours * 3_600_000
  return [
    ...when(
      queues.maxReceiveCount < MIN_RECEIVES,
      `queues.maxReceiveCount: ${queues.maxReceiveCount} is below ${MIN_RECEIVES}; throttled invocations alone would use it up.`,
    ),
    ...when(
      receivesMs >= retentionMs,
      `queues.retentionHours: the receive ladder (${receivesMs} ms) is longer than the retention (${retentionMs} ms); a message would vanish before it reaches its dead-letter queue.`,
    ),
    ...when(
      queues.retentionHours >= DLQ_RETENTION_HOURS,
      `queues.retentionHours: ${queues.retentionHours} must be below the ${DLQ_RETENTION_HOURS} h of the dead-letter queue, which counts from the first send.`,
    ),
    ...when(
      streams.maxRecordAgeHours >= STREAM_RETENTION_HOURS,
      `streams.maxRecordAgeHours: the retry ladder of ${streams.maxRecordAgeHours} h is longer than the stream keeps a record (${STREAM_RETENTION_HOURS} h).`,
    ),
  ]
}

function lengthOf(ladder: Ladder): number {
  switch (ladder.kind) {
    case 'steps':
      return sum(ladder.stepsMs)
    case 'linear':
      return (ladder.stepMs * ladder.retries * (ladder.retries + 1)) / 2
    case 'exponential':
      return sum(
        Array.from({ length: ladder.retries }, (_, n) => Math.min(ladder.baseMs * ladder.factor ** n, ladder.capMs)),
      )
  }
}

function when(isBroken: boolean, sentence: string): string[] {
  return isBroken ? [sentence] : []
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
