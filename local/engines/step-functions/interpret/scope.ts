import type { Json, JsonObject } from '../../../host/template/json.ts'

/** What the expressions of a state may read. */
export interface Scope {
  readonly input: Json
  /** `$states.context` */
  readonly context: JsonObject
  readonly variables: JsonObject
}

/** The names that are bound in an expression; `extra` is what a state has by then: its result, or its error. */
export function bindingsOf(
  { input, context, variables }: Scope,
  extra: { result?: Json; errorOutput?: Json } = {},
): JsonObject {
  return { ...variables, states: { input, context, ...extra } }
}
