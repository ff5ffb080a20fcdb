import { parseArgs } from 'node:util'
import { type Instant, parseInstant } from '../modules/core/instant.ts'
import { type TaskType, taskTypes } from '../modules/core/task-policies.ts'

export const stuckStatuses = ['RETRY', 'MANUAL', 'WAITING', 'CLOSED'] as const
export type StuckStatus = (typeof stuckStatuses)[number]

export interface RequeueOptions {
  /** A channel's id, or the lane `merchant` or `internal`. */
  readonly channel: string
  readonly type?: TaskType
  readonly status: StuckStatus
  readonly olderThanMs: number
  readonly noSuccessSince?: Instant
  readonly dryRun: boolean
  readonly ratePerS: number
}

export type Command =
  | ({ readonly name: 'requeue' } & RequeueOptions)
  | { readonly name: 'redrive'; readonly queue: string; readonly dryRun: boolean; readonly ratePerS: number }
  | { readonly name: 'gate show'; readonly lane?: string }
  | { readonly name: 'gate pause'; readonly lane: string; readonly forMs: number; readonly reason: string }
  | { readonly name: 'gate resume'; readonly lane: string }
  | { readonly name: 'teardown' }

export interface Asked {
  readonly command: Command
  readonly json: boolean
  /** File with the outputs of a deployed stack; absent: the one that runs on this machine. */
  readonly stackOutputs?: string
  /** File with the settings of that stack, when it is not `backstop.config.ts`. */
  readonly config?: string
}

/** The command line is wrong; the message is one sentence that says how. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
  readonly code = 'ARGUMENT'
}

const DEFAULT_RATE_PER_S = 10
/** What SQS allows for a redrive. */
const MAX_RATE_PER_S = 500
/** A paused lane must not be forgotten: later, somebody pauses it again. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1000
const DEFAULT_OLDER_THAN = '10m'

const options = {
  channel: { type: 'string' },
  type: { type: 'string' },
  status: { type: 'string' },
  'older-than': { type: 'string' },
  'no-success-since': { type: 'string' },
  'dry-run': { type: 'boolean' },
  rate: { type: 'string' },
  for: { type: 'string' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
  'stack-outputs': { type: 'string' },
  config: { type: 'string' },
} as const

type Option = keyof typeof options
type Values = Partial<Record<Option, string | boolean>>

const EVERYWHERE: readonly Option[] = ['json', 'stack-outputs', 'config']
const ALLOWED: Readonly<Record<Command['name'], readonly Option[]>> = {
  requeue: ['channel', 'type', 'status', 'older-than', 'no-success-since', 'dry-run', 'rate'],
  redrive: ['dry-run', 'rate'],
  'gate show': [],
  'gate pause': ['for', 'reason'],
  'gate resume': [],
  teardown: [],
}

/** Reads the command line. @throws ArgumentError */
export function readArguments(args: readonly string[]): Asked {
  const { values, positionals } = parse(args)
  const command = readCommand(positionals, values)
  const allowed = [...ALLOWED[command.name], ...EVERYWHERE]
  const surplus = Object.keys(values).find((name) => !allowed.some((option) => option === name))
  if (surplus !== undefined) throw new ArgumentError(`--${surplus} means nothing for '${command.name}'.`)
  const stackOutputs = textOf(values, 'stack-outputs')
  const config = textOf(values, 'config')
  return {
    command,
    json: values.json === true,
    ...(stackOutputs !== undefined && { stackOutputs }),
    ...(config !== undefined && { config }),
  }
}

function parse(args: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // What Node adds on options that begin with a hyphen helps nobody here.
    throw new ArgumentError(`${error.message.split('. ')[0]}.`)
  }
}

function readCommand([name, ...rest]: readonly string[], values: Values): Command {
  switch (name) {
    case 'requeue':
      none(rest)
      return { name, ...readRequeue(values) }
    case 'redrive': {
      const [queue, ...more] = rest
      none(more)
      if (queue === undefined) throw new ArgumentError("Name what to redrive: a lane, 'callbacks', or a queue.")
      return { name, queue, dryRun: values['dry-run'] === true, ratePerS: rateOf(values) }
    }
    case 'gate':
      return readGate(rest, values)
    case 'teardown':
      none(rest)
      return { name }
    default:
      throw new ArgumentError('Say what to do: requeue, redrive, gate or teardown.')
  }
}

function readRequeue(values: Values): RequeueOptions {
  const channel = textOf(values, 'channel')
  if (channel === undefined) throw new ArgumentError('Name the lane with --channel: a channel, merchant or internal.')
  const status = stuckStatuses.find((one) => one === values.status)
  if (status === undefined) throw new ArgumentError(`Give --status one of ${stuckStatuses.join(', ')}.`)
  const type = taskTypes.find((one) => one === values.type)
  if (values.type !== undefined && type === undefined) {
    throw new ArgumentError(`There is no task type '${values.type}'; there are ${taskTypes.join(', ')}.`)
  }
  const since = textOf(values, 'no-success-since')
  const noSuccessSince = since === undefined ? undefined : parseInstant(since)
  if (since !== undefined && noSuccessSince === undefined) {
    throw new ArgumentError('--no-success-since takes a time with its zone, such as 2026-03-01T08:00:00Z.')
  }
  return {
    channel,
    ...(type !== undefined && { type }),
    status,
    olderThanMs: durationOf('older-than', textOf(values, 'older-than') ?? DEFAULT_OLDER_THAN),
    ...(noSuccessSince !== undefined && { noSuccessSince }),
    dryRun: values['dry-run'] === true,
    ratePerS: rateOf(values),
  }
}

function readGate([verb, ...rest]: readonly string[], values: Values): Command {
  if (verb !== 'pause' && verb !== 'resume') {
    none(rest)
    return { name: 'gate show', ...(verb !== undefined && { lane: verb }) }
  }
  const [lane, ...more] = rest
  none(more)
  if (lane === undefined) throw new ArgumentError(`Name the lane to ${verb}.`)
  if (verb === 'resume') return { name: 'gate resume', lane }
  const span = textOf(values, 'for')
  if (span === undefined) throw new ArgumentError('Say for how long with --for, such as --for 10m.')
  const forMs = durationOf('for', span)
  if (forMs > MAX_PAUSE_MS) throw new ArgumentError('A lane is paused for 24h at most; pause it again later.')
  const reason = textOf(values, 'reason')?.trim()
  if (reason === undefined || reason === '') throw new ArgumentError('Say why with --reason; it is shown to others.')
  return { name: 'gate pause', lane, forMs, reason }
}

function none(rest: readonly string[]): void {
  if (rest[0] !== undefined) throw new ArgumentError(`'${rest[0]}' was not expected.`)
}

function textOf(values: Values, option: Option): string | undefined {
  const value = values[option]
  return typeof value === 'string' ? value : undefined
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function durationOf(option: Option, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  if (unitMs === undefined || Number(count) === 0) {
    throw new ArgumentError(`--${option} takes a span such as 90s, 10m, 2h or 1d.`)
  }
  return Number(count) * unitMs
}

function rateOf(values: Values): number {
  const text = textOf(values, 'rate')
  if (text === undefined) return DEFAULT_RATE_PER_S
  const rate = Number(/^(\d{1,3})(?:\/s)?$/.exec(text)?.[1] ?? 0)
  if (rate < 1 || rate > MAX_RATE_PER_S) {
    throw new ArgumentError(`--rate takes a number per second from 1 to ${MAX_RATE_PER_S}, such as 10/s.`)
  }
  return rate
}
