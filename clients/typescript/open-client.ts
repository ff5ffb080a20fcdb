import { setTimeout as sleep } from 'node:timers/promises'
import { type Operations, operations, type Problem } from './api.ts'
import { HttpError, ProblemError } from './problem-error.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:8787`, or the stack's output ApiUrl. */
  readonly baseUrl: string
  /** An access token that is valid now; asked for each request, so keep it until it expires. */
  readonly token: () => string | Promise<string>
  /** Of one request; 15 s by default. */
  readonly timeoutMs?: number
  /** Of a request that Backstop wants sent again; 4 by default. */
  readonly maxTries?: number
  /** Stands in for waiting, in tests. */
  readonly wait?: (ms: number) => Promise<unknown>
}

export interface Answer<Id extends keyof Operations> {
  readonly status: number
  readonly headers: Headers
  readonly body: Operations[Id]['answer']
}

export interface Client {
  /**
   * Calls an operation. It is sent again only where Backstop says when: ORDER_BUSY, and 503 with Retry-After.
   * @throws ProblemError with the code of the refusal; HttpError for an answer that is not Backstop's; what fetch throws:
   *   then nobody knows whether the request arrived, and it may be sent again like after a 503
   */
  call<Id extends keyof Operations>(id: Id, input: Operations[Id]['input']): Promise<Answer<Id>>
}

const TIMEOUT_MS = 15_000
const MAX_TRIES = 4
const MAX_WAIT_MS = 30_000

export function openClient(options: ClientOptions): Client {
  const { maxTries = MAX_TRIES, wait = sleep } = options
  return {
    call: async (id, input) => {
      for (let attempt = 1; ; attempt++) {
        const response = await send(options, id, input)
        const text = await response.text()
        if (response.ok) return { status: response.status, headers: response.headers, body: JSON.parse(text) }
        const error = errorOf(response, text)
        const waitMs = attempt < maxTries ? waitMsOf(id, input, error, response.headers) : undefined
        if (waitMs === undefined) throw error
        await wait(waitMs)
      }
    },
  }
}

/** The parts of any operation's input. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}

async function send(options: ClientOptions, id: keyof Operations, input: AnyInput): Promise<Response> {
  const { method, path } = operations[id]
  const { params = {}, query = {}, headers = {}, body } = input
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(given(query)).toString()
  return fetch(`${options.baseUrl.replace(/\/$/, '')}${filled}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: {
      authorization: `Bearer ${await options.token()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...given(headers),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
  })
}

function given(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function errorOf(response: Response, text: string): ProblemError | HttpError {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    return new HttpError(response.status, text)
  }
  const problem: Problem = JSON.parse(text)
  return new ProblemError(problem)
}

/** How long to wait before the next try, or `undefined` where there shall be none. */
function waitMsOf(
  id: keyof Operations,
  input: AnyInput,
  error: ProblemError | HttpError,
  headers: Headers,
): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if (!Number.isFinite(seconds)) return undefined
  const nothingChanged = error.code === 'ORDER_BUSY'
  if (!nothingChanged && (error.status !== 503 || !isRepeatable(id, input))) return undefined
  // Those who were turned away together shall not come back together.
  return Math.min(seconds * 1000, MAX_WAIT_MS) + Math.random() * 250
}

/** Every operation may be repeated but one: a payment without a number of its own is a new try each time. */
function isRepeatable(id: keyof Operations, { body }: AnyInput): boolean {
  return id !== 'startPayAttempt' || (body !== undefined && 'outTradeNo' in body && body.outTradeNo !== undefined)
}
