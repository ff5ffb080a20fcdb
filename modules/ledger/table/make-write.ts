import { checkKey, checkUpdate, checkWhole } from './check-write.ts'
import type { Condition } from './conditions.ts'
import type { Key } from './keys.ts'
import type { RowType } from './rows.ts'

export type Values = Readonly<Record<string, unknown>>

declare const checked: unique symbol

interface Written {
  readonly when: Condition
  /** A follow-up that may exist already: the transaction is repeated without it when only this stood in the way. */
  readonly optional?: boolean
  /** Made by this file alone, which checks what it makes. */
  readonly [checked]: true
}

/** One item of a transaction, with the condition that must hold. */
export type Write =
  | (Written & { readonly op: 'put'; readonly item: Key & Values })
  | (Written & {
      readonly op: 'update'
      readonly key: Key
      readonly set: Values
      /** Set only where the row has no such attribute: what was first there stays. */
      readonly setOnce: Values
      readonly add: Readonly<Record<string, number>>
      readonly remove: readonly string[]
    })
  /** Only for a row that moves to another collection in the same transaction. */
  | (Written & { readonly op: 'delete' | 'check'; readonly key: Key })

export type Put = Extract<Write, { op: 'put' }>
/** A write that could also be made alone. */
export type Update = Extract<Write, { op: 'update' }>

/** @throws WriteRefusedError for an item that is no row of its type */
export function makePut(item: Key & Values & { readonly et: RowType }, when: Condition): Put {
  checkWhole(item)
  return { op: 'put', item: { ...given(item), pk: item.pk, sk: item.sk }, when } as Put
}

/** @throws WriteRefusedError for a value that the type does not allow, and where one attribute is written twice */
export function makeUpdate(
  { pk, sk, et }: Key & { readonly et: RowType },
  change: {
    readonly set?: Values | undefined
    readonly setOnce?: Values | undefined
    readonly add?: Values | undefined
    readonly remove?: readonly string[] | undefined
  },
  when: Condition,
): Update {
  const set = given(change.set)
  const setOnce = given(change.setOnce)
  const add = given(change.add)
  const remove = change.remove ?? []
  checkUpdate({ pk, sk, et }, { set, setOnce, add, remove })
  return { op: 'update', key: { pk, sk }, set, setOnce, add, remove, when } as Update
}

/** @throws WriteRefusedError for a key that DynamoDB does not take */
export function makeBare(op: 'delete' | 'check', { pk, sk }: Key, when: Condition): Write {
  checkKey({ pk, sk })
  return { op, key: { pk, sk }, when } as Write
}

/** What is `undefined` is not written. */
function given(values: Values = {}): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
