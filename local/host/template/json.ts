/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject
/** A JSON object; reading an unknown key gives `undefined`. */
export type JsonObject = { [key: string]: Json }

/** True for a JSON object, false for an array, a scalar and null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON text. @throws SyntaxError on text that is not JSON */
export function parseJson(text: string): Json {
  return JSON.parse(text)
}

/** The value as a JSON object. @throws Error that names `what` when it is something else */
export function asObject(value: Json | undefined, what: string): JsonObject {
  if (isObject(value)) return value
  throw new Error(`${what} is not an object`)
}
