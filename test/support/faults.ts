import {
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Ledger } from '../../modules/ledger/table/client.ts'

/** The process is gone: nothing of this invocation takes effect any more. */
export class CrashError extends Error {
  override readonly name = 'CrashError'
}

/** One call of an SDK client, as a test may change it. */
export interface Call {
  /** 1 for the first call of the invocation. */
  readonly n: number
  readonly command: string
  /** What it asks for, before it is marshalled. */
  readonly input: unknown
  /** Makes the call fail instead of happening. */
  fail(error: Failure | Error): never
  /** Lets the call happen now; without it, it happens when the hook has returned. */
  proceed(): Promise<void>
}

export type Failure =
  /** Another transaction touches the same rows. */
  | 'conflict'
  /** A part of the transaction was throttled. */
  | 'throttled'
  /** The same request is still under way. */
  | 'inProgress'
  | 'unavailable'

export type Hook = (call: Call) => void | Promise<void>

const named = (name: string, message: string): Error =>
  Object.assign(new Error(message), { name, $metadata: {}, $fault: 'client' })

function errorOf(failure: Failure, command: string): Error {
  const isTransaction = command === 'TransactWriteItemsCommand'
  switch (failure) {
    case 'conflict':
      return isTransaction
        ? cancelled('TransactionConflict')
        : new TransactionConflictException({ message: 'in a transaction', $metadata: {} })
    case 'throttled':
      return isTransaction ? cancelled('ThrottlingError') : named('ThrottlingException', 'slow down')
    case 'inProgress':
      return new TransactionInProgressException({ message: 'under way', $metadata: {} })
    case 'unavailable':
      return named('TimeoutError', 'no answer')
  }
}

function cancelled(Code: string): Error {
  return new TransactionCanceledException({ message: Code, $metadata: {}, CancellationReasons: [{ Code }] })
}

/** Puts a hook before each call of a client, outside the SDK's own retries. The hook may wait or throw. */
function addHook(client: DynamoDBClient, hook: Hook): void {
  let n = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context['commandName'])
      let result: ReturnType<typeof next> | undefined
      await hook({
        n: ++n,
        command,
        input: args.input,
        fail(error) {
          throw typeof error === 'string' ? errorOf(error, command) : error
        },
        async proceed() {
          result = next(args)
          await result
        },
      })
      return result ?? next(args)
    },
    { step: 'initialize', name: 'faults' },
  )
}

/** The same table through a client of its own, with a hook before each of its calls. It shares the connections of the first. */
export function withFaults(ledger: Ledger, hook: Hook, attempts?: AttemptHook): Ledger {
  const { config } = ledger.client
  const client = new DynamoDBClient({
    endpoint: config.endpoint === undefined ? '' : config.endpoint,
    region: config.region,
    credentials: config.credentials,
    requestHandler: config.requestHandler,
    retryStrategy: noWait,
  })
  addHook(client, hook)
  if (attempts !== undefined) addAttemptHook(client, attempts)
  return {
    table: ledger.table,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  }
}

/** Told after each HTTP request, inside the SDK's own retries; throws instead of handing over the answer. */
export type AttemptHook = (n: number) => void

function addAttemptHook(client: DynamoDBClient, hook: AttemptHook): void {
  let n = 0
  client.middlewareStack.add(
    (next) => async (args) => {
      const mine = ++n
      const result = await next(args)
      hook(mine)
      return result
    },
    { step: 'deserialize', name: 'attempt-faults', priority: 'high' },
  )
}

/** Three tries as in production, without the waits between them. */
const noWait = {
  mode: 'standard',
  async acquireInitialRetryToken() {
    return tokenOf(0)
  },
  async refreshRetryTokenForRetry(token: { getRetryCount(): number }, info: { error?: unknown; errorType: string }) {
    if (token.getRetryCount() + 1 >= 3 || info.errorType === 'CLIENT_ERROR')
      throw info.error ?? new Error('no retry left')
    return tokenOf(token.getRetryCount() + 1)
  },
  recordSuccess() {},
}
const tokenOf = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 })

export const timeoutError = (): Error => named('TimeoutError', 'the answer never came')
