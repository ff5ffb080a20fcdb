import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import { AwsJsonError, type Operation, operation, serveAwsJson } from '../wire/aws-json.ts'
import {
  checkEntry,
  type Entry,
  type EntryFailure,
  entrySchema,
  entrySizeBytes,
  type ValidEntry,
} from './check-entry.ts'
import { type BusEvent, type EventStore, type KeptEvent, openEventStore } from './event-store.ts'

/** `down` answers no PutEvents but 500; `refusing` answers 200 and takes no entry, as when the account is throttled. */
export type BusMode = 'ok' | 'down' | 'refusing'

/** EventBridge's buses on this machine: events are kept and shown; there are no rules. */
export interface EventBridge extends Engine {
  /** Makes a bus, unless it is there. */
  createBus(name: string): void
  /** Told of each event once it is durable. */
  onEvent(listener: (kept: KeptEvent) => void): void
  /** Kept events, the newest first. */
  list(filter: { detailType?: string; limit: number }): KeptEvent[]
  /** Makes PutEvents misbehave until told otherwise. */
  setMode(mode: BusMode): void
}

const region = 'us-east-1'
const account = '000000000000'
const maxKeptEvents = 10_000
const maxCallBytes = 1024 * 1024
const throttled: EntryFailure = { ErrorCode: 'ThrottlingException', ErrorMessage: 'The bus is told to refuse.' }
const busName = z.string().regex(/^[/.\-_A-Za-z0-9]{1,256}$/)
const schemas = {
  put: z.object({ Entries: z.array(entrySchema).min(1).max(10) }),
  create: z.object({ Name: busName }),
  describe: z.object({ Name: z.string().default('default') }),
}

/** Opens the buses kept in the SQLite file at `path`; `default` is always there. */
export function openEventBridge({ path, clock }: { path: string; clock: Clock }): EventBridge {
  const store = openEventStore(path, maxKeptEvents)
  const listeners: ((kept: KeptEvent) => void)[] = []
  let mode: BusMode = 'ok'
  const operations: Record<string, Operation> = {
    PutEvents: operation(schemas.put, ({ Entries }) => {
      if (mode === 'down') throw new AwsJsonError('InternalException', 'The bus is told to be down.', 500)
      if (mode === 'refusing') return { FailedEntryCount: Entries.length, Entries: Entries.map(() => throttled) }
      const { kept, answer } = putEvents(store, clock, Entries)
      // The events are accepted: what fails in a listener is the host's failure, not the sender's.
      for (const event of kept) for (const listener of listeners) queueMicrotask(() => listener(event))
      return answer
    }),
    CreateEventBus: operation(schemas.create, ({ Name }) => {
      if (store.hasBus(Name)) {
        throw new AwsJsonError('ResourceAlreadyExistsException', `Event bus ${Name} already exists.`)
      }
      store.createBus(Name)
      return { EventBusArn: busArn(Name) }
    }),
    DescribeEventBus: operation(schemas.describe, ({ Name }) => {
      const name = toBusName(Name)
      if (!store.hasBus(name)) throw new AwsJsonError('ResourceNotFoundException', missingBus(name))
      return { Name: name, Arn: busArn(name) }
    }),
  }
  return {
    handle: (request, response) => serveAwsJson(operations, request, response),
    nextDueAt: () => undefined,
    close: () => store.close(),
    createBus: (name) => store.createBus(name),
    onEvent: (listener) => void listeners.push(listener),
    list: ({ detailType, limit }) => store.newest(detailType, limit),
    setMode: (to) => {
      mode = to
    },
  }
}

function putEvents(store: EventStore, clock: Clock, entries: Entry[]): { kept: KeptEvent[]; answer: object } {
  if (entries.reduce((sum, entry) => sum + entrySizeBytes(entry), 0) >= maxCallBytes) {
    throw new AwsJsonError('ValidationException', 'Total size of the entries in the request is over the limit.')
  }
  const checked = entries.map((entry) => {
    const bus = toBusName(entry.EventBusName ?? 'default')
    if (!store.hasBus(bus)) return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: missingBus(bus) }
    const valid = checkEntry(entry)
    return 'ErrorCode' in valid ? valid : { bus, event: toEvent(entry, valid, clock) }
  })
  const isFailure = (one: (typeof checked)[number]): one is EntryFailure => 'ErrorCode' in one
  const kept = store.add(checked.flatMap((one) => (isFailure(one) ? [] : [one])))
  const answers = checked.map((one) => (isFailure(one) ? one : { EventId: one.event.id }))
  return { kept, answer: { FailedEntryCount: checked.filter(isFailure).length, Entries: answers } }
}

function toEvent(entry: Entry, valid: ValidEntry, clock: Clock): BusEvent {
  const timeMs = entry.Time === undefined ? clock.now() : entry.Time * 1000
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': valid.detailType,
    source: valid.source,
    account,
    // Whole seconds, as the service writes it.
    time: new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    region,
    resources: entry.Resources ?? [],
    detail: valid.detail,
  }
}

/** A bus may be named by its ARN. */
function toBusName(nameOrArn: string): string {
  return nameOrArn.replace(/^arn:[^/]*\//, '')
}

function busArn(name: string): string {
  return `arn:aws:events:${region}:${account}:event-bus/${name}`
}

function missingBus(name: string): string {
  return `Event bus ${name} does not exist.`
}
