import type { Broker } from '../broker.ts'
import type { Fields } from './fields.ts'

/** What the wire needs of the engine. */
export interface WireContext {
  readonly broker: Broker
  readonly urlOf: (queueName: string) => string
}

/** One operation: reads its fields, acts, and returns the answer as JSON. */
export type Operation = (
  context: WireContext & { readonly signal: AbortSignal },
  fields: Fields,
) => Record<string, unknown> | Promise<Record<string, unknown>>
