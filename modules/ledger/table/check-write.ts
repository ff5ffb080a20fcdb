import * as z from 'zod/mini'
import type { Key } from './keys.ts'
import { type RowType, schemas } from './rows.ts'

type Values = Readonly<Record<string, unknown>>

/** Sort keys, of the table and of an index, are at most this long. */
const MAX_KEY_BYTES = 1024
/** Attributes that are keys of an index: DynamoDB refuses them longer than {@link MAX_KEY_BYTES}, and empty. */
const INDEX_KEYS = ['duePk', 'dueAt', 'findPk', 'findSk'] as const
/** Every write names its row by the first two and sets the others itself. */
const AUTOMATIC = ['pk', 'sk', 'rev', 'updatedAt'] as const

/**
 * A write that DynamoDB would refuse, or that would leave a row that no reader takes: a bug, found where it is built. Names the row
 * and the attribute, never a value.
 */
export class WriteRefusedError extends Error {
  override readonly name = 'WriteRefusedError'
  readonly code = 'WRITE_REFUSED'

  constructor({ pk, sk }: Key, problem: string) {
    super(`The write of ${pk} / ${sk} is wrong: ${problem}. Compare it with the schema of its type.`)
  }
}

/**
 * Checks a whole row before it is put. The local engine takes what DynamoDB refuses, so what can be known is refused here.
 * @throws WriteRefusedError
 */
export function checkWhole(item: Key & Values & { readonly et: RowType }): void {
  checkKey(item)
  checkValues(item, item.et, item)
  const shape: Readonly<Record<string, z.core.$ZodType>> = schemas[item.et].shape
  for (const [name, schema] of Object.entries(shape)) {
    if (name in item || name === 'v' || name === 'rev' || name === 'updatedAt') continue
    if (schema._zod.optin !== 'optional') throw new WriteRefusedError(item, `'${name}' is missing`)
  }
}

/**
 * Checks an update's values, and that it touches no attribute twice: DynamoDB refuses that, the local engine does not.
 * @throws WriteRefusedError
 */
export function checkUpdate(
  target: Key & { readonly et: RowType },
  change: {
    readonly set: Values
    readonly setOnce: Values
    readonly add: Values
    readonly remove: readonly string[]
  },
): void {
  checkKey(target)
  for (const values of [change.set, change.setOnce]) checkValues(target, target.et, values)
  checkChanges(target, target.et, change.add)
  const seen = new Set<string>(AUTOMATIC)
  const touched = [change.set, change.setOnce, change.add].flatMap((values) => Object.keys(values))
  for (const name of [...touched, ...change.remove]) {
    if (seen.has(name)) throw new WriteRefusedError(target, `'${name}' is written twice`)
    seen.add(name)
  }
}

/** @throws WriteRefusedError for a key that DynamoDB does not take */
export function checkKey(key: Key): void {
  for (const name of ['pk', 'sk'] as const) checkKeyText(key, name, key[name])
}

function checkKeyText(key: Key, name: string, text: unknown): void {
  if (typeof text !== 'string' || text === '') throw new WriteRefusedError(key, `'${name}' is no key`)
  if (Buffer.byteLength(text) > MAX_KEY_BYTES) throw new WriteRefusedError(key, `'${name}' is too long for a key`)
}

/** What a count is changed by may be negative, as no count is. */
function checkChanges(key: Key, et: RowType, add: Values): void {
  for (const [name, change] of Object.entries(add)) {
    if (!Object.hasOwn(schemas[et].shape, name))
      throw new WriteRefusedError(key, `a row of type ${et} has no '${name}'`)
    if (!Number.isSafeInteger(change)) throw new WriteRefusedError(key, `'${name}' is changed by no whole number`)
  }
}

function checkValues(key: Key, et: RowType, values: Values): void {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schemas[et].shape
  for (const [name, value] of Object.entries(values)) {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema === undefined) throw new WriteRefusedError(key, `a row of type ${et} has no '${name}'`)
    if (value !== undefined && !z.safeParse(schema, value).success)
      throw new WriteRefusedError(key, `'${name}' is not of its form`)
  }
  for (const name of INDEX_KEYS) if (values[name] !== undefined) checkKeyText(key, name, values[name])
}
