import { AsyncLocalStorage } from 'node:async_hooks'
import { SQSClient } from '@aws-sdk/client-sqs'
import { marshall } from '@aws-sdk/util-dynamodb'
import { z } from 'zod'
import { itemBytes } from './item-size.ts'
import type { Call, TableUse, WrittenItem } from './recording.ts'

type Mutable = { requests: number }
type Next = (args: { input: Record<string, unknown> }) => Promise<{ output: Record<string, unknown> }>
interface Context {
  readonly clientName?: string
  readonly commandName?: string
}
interface SdkClient {
  readonly middlewareStack: { add(middleware: unknown, options: object): void }
}

const running = new AsyncLocalStorage<{ readonly calls: Call[] }>()
const inCall = new AsyncLocalStorage<Mutable>()

/** Runs `work` and returns what it called. */
export async function recordCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: readonly Call[] }> {
  const calls: Call[] = []
  const result = await running.run({ calls }, work)
  return { result, calls }
}

/**
 * Adds the recording middleware to every SDK client of this process, also to those that a handler opens as it is imported. All
 * clients share one base class, whose `send` is the one door.
 */
export function watchSdkClients(): void {
  const base: { send: (this: SdkClient, ...rest: unknown[]) => unknown } = Object.getPrototypeOf(SQSClient.prototype)
  const { send } = base
  const watched = new WeakSet<object>()
  base.send = function (...rest) {
    const stack = this.middlewareStack
    if (!watched.has(stack)) {
      watched.add(stack)
      stack.add(recordOne, { step: 'initialize', name: 'backstopBenchCall', priority: 'high' })
      stack.add(countRequest, { step: 'deserialize', name: 'backstopBenchRequest', priority: 'low' })
    }
    return send.apply(this, rest)
  }
}

const countRequest = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
  const call = inCall.getStore()
  if (call !== undefined) call.requests += 1
  return next(args)
}

const recordOne =
  (next: Next, { clientName = '', commandName = '' }: Context) =>
  async (args: { input: Record<string, unknown> }) => {
    const counted: Mutable = { requests: 0 }
    const isTable = clientName === 'DynamoDBClient'
    const input = isTable ? { ...args.input, ReturnConsumedCapacity: 'INDEXES' } : args.input
    const note = (ok: boolean, output: Record<string, unknown>) => {
      const taskNo = taskNoOf(input)
      running.getStore()?.calls.push({
        service: clientName.replace(/Client$/, ''),
        command: commandName.replace(/Command$/, ''),
        requests: counted.requests,
        ok,
        endedAt: performance.timeOrigin + performance.now(),
        payloadBytes: Buffer.byteLength(payloadOf(input)),
        ...(taskNo !== undefined && { taskNo }),
        ...(isTable && { use: useOf(commandName, input, output) }),
      })
    }
    try {
      const answer = await inCall.run(counted, () => next({ ...args, input }))
      note(true, answer.output)
      return answer
    } catch (error) {
      note(false, {})
      throw error
    }
  }

const sent = z.object({
  MessageBody: z.string().optional(),
  Target: z.object({ Input: z.string() }).optional(),
  Entries: z.array(z.object({ Detail: z.string().optional() })).optional(),
})

function payloadOf(input: unknown): string {
  const { MessageBody, Target, Entries } = sent.parse(input)
  return MessageBody ?? Target?.Input ?? (Entries ?? []).map(({ Detail }) => Detail ?? '').join('')
}

function taskNoOf(input: unknown): string | undefined {
  return /"taskNo":"([A-Z2-7]{26})"/.exec(payloadOf(input))?.[1]
}

const key = z.object({ pk: z.string().optional(), sk: z.string().optional(), lane: z.string().optional() })
const item = z.record(z.string(), z.unknown())
const keyed = z.object({ Key: key.optional(), Item: item.optional() })
const capacity = z.object({
  CapacityUnits: z.number().default(0),
  Table: z.object({ CapacityUnits: z.number() }).optional(),
  GlobalSecondaryIndexes: z.record(z.string(), z.object({ CapacityUnits: z.number() })).optional(),
})
const request = z.object({
  TableName: z.string().optional(),
  ConsistentRead: z.boolean().default(false),
  Key: key.optional(),
  Item: item.optional(),
  TransactItems: z
    .array(
      z.object({
        Put: keyed.extend({ TableName: z.string() }).optional(),
        Update: keyed.extend({ TableName: z.string() }).optional(),
        Delete: keyed.extend({ TableName: z.string() }).optional(),
        ConditionCheck: keyed.extend({ TableName: z.string() }).optional(),
      }),
    )
    .default([]),
  RequestItems: z
    .record(z.string(), z.object({ Keys: z.array(item).optional(), ConsistentRead: z.boolean().default(false) }))
    .default({}),
})
const answered = z.object({
  ConsumedCapacity: z.union([capacity, z.array(capacity)]).optional(),
  Items: z.array(item).optional(),
  Item: item.optional(),
  Responses: z.record(z.string(), z.array(item)).optional(),
})

const OPS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const

function useOf(commandName: string, input: unknown, output: unknown): TableUse {
  const asked = request.parse(input)
  const answer = answered.parse(output)
  const inTransaction = asked.TransactItems.flatMap((part) =>
    OPS.flatMap((op): (WrittenItem & { table: string })[] => {
      const write = part[op]
      return write === undefined ? [] : [{ op, key: keyText(write), table: write.TableName }]
    }),
  )
  const single = /^(Put|Update|Delete)Item|^(Put|Update|Delete)Command/.exec(commandName)
  const op = OPS.find((name) => name === (single?.[1] ?? single?.[2]))
  const reads = readsOf(asked, answer, commandName)
  return {
    table: asked.TableName ?? inTransaction[0]?.table ?? Object.keys(asked.RequestItems)[0] ?? '',
    writes: op === undefined ? inTransaction.map(({ op, key }) => ({ op, key })) : [{ op, key: keyText(asked) }],
    transactional: inTransaction.length > 0,
    ...(reads !== undefined && { reads }),
    engine: engineUnits(answer.ConsumedCapacity),
  }
}

function keyText({ Key, Item }: z.infer<typeof keyed>): string {
  const { pk, sk, lane } = Key ?? key.parse(Item)
  return `${pk ?? lane}\n${sk}`
}

function readsOf(
  asked: z.infer<typeof request>,
  answer: z.infer<typeof answered>,
  commandName: string,
): TableUse['reads'] {
  const [batch] = Object.entries(asked.RequestItems)
  if (batch !== undefined) {
    const [table, { Keys = [], ConsistentRead }] = batch
    const found = (answer.Responses?.[table] ?? []).map(sizeOf)
    const missing = Array<number>(Math.max(0, Keys.length - found.length)).fill(0)
    return { query: false, consistent: ConsistentRead, sizes: [...found, ...missing] }
  }
  if (commandName.startsWith('Query')) {
    return { query: true, consistent: asked.ConsistentRead, sizes: (answer.Items ?? []).map(sizeOf) }
  }
  if (commandName.startsWith('Get')) {
    return {
      query: false,
      consistent: asked.ConsistentRead,
      sizes: [answer.Item === undefined ? 0 : sizeOf(answer.Item)],
    }
  }
  return undefined
}

const sizeOf = (found: Record<string, unknown>): number => itemBytes(marshall(found, { removeUndefinedValues: true }))

function engineUnits(consumed: z.infer<typeof answered>['ConsumedCapacity']): TableUse['engine'] {
  const all = consumed === undefined ? [] : [consumed].flat()
  const inIndexes = ({ GlobalSecondaryIndexes = {} }: z.infer<typeof capacity>) =>
    Object.values(GlobalSecondaryIndexes).reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
  const indexUnits = all.reduce((sum, one) => sum + inIndexes(one), 0)
  const tableUnits = all.reduce((sum, one) => sum + (one.Table?.CapacityUnits ?? one.CapacityUnits - inIndexes(one)), 0)
  return { tableUnits, indexUnits }
}
