import { z } from 'zod'
import type { ProblemCode } from './problem.ts'
import type { Scope } from './scopes.ts'

/** One answer of a route that is no refusal. */
export interface AnswerSpec {
  readonly description: string
  readonly schema: z.ZodType
  /** Headers beside the usual ones, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>
}

/** All that is known of a route, once for everybody: the router, the gateway with its scopes, and docs/openapi.json. */
export interface RouteSpec {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH'
  readonly path: string
  readonly scope: Scope
  readonly tag: 'orders' | 'tasks' | 'stock'
  readonly summary: string
  readonly description: string
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodType
  /** Where the usual limit of a body is too small. */
  readonly maxBodyBytes?: number
  /** Request headers that the route reads, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answers: Readonly<Record<number, AnswerSpec>>
  /** Refusals of this route's own; what any route answers is added by {@link problemsOf}. */
  readonly problems: readonly ProblemCode[]
}

/** Stands where a route reads no parameter of its path or no query. */
export const nothing = z.object({})
/** Stands where a route reads no body: one that is sent is not looked at. */
export const noBody = z.undefined()

/** Every code that a route can answer with. */
export function problemsOf({ body, method, problems }: RouteSpec): readonly ProblemCode[] {
  return [
    ...(body === noBody ? [] : (['INVALID_JSON', 'BODY_TOO_LARGE'] as const)),
    'VALIDATION_FAILED',
    ...problems,
    ...(method === 'GET' ? [] : (['ORDER_BUSY'] as const)),
    'LEDGER_UNAVAILABLE',
    'INTERNAL',
  ]
}
