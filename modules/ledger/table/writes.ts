import type { Condition } from './conditions.ts'
import type { Key } from './keys.ts'
import { makeBare, makePut, makeUpdate, type Put, type Update, type Write } from './make-write.ts'
import type { RowType } from './rows.ts'
import type { AddOf, Change, Fresh, NamesOf, Only, RemovableOf, SetOf, Target } from './write-types.ts'

/**
 * A whole row, mostly a new one. Revision and time are set by the commit unless the row has them.
 * @throws WriteRefusedError when the row is not of its schema
 */
export function put<Item extends Fresh<RowType>>(
  item: Item & Only<Item, NamesOf<Extract<Fresh<RowType>, { readonly et: Item['et'] }>>>,
  when: Condition,
): Put {
  return makePut({ ...item }, when)
}

/**
 * A change of a row. A state is not among what it may set: that moves along its machine only (`moveRow`).
 * @param target the row itself, or its key with its type
 * @throws WriteRefusedError when a value is not of the schema, or an attribute is written twice
 */
export function update<Type extends RowType, Set extends SetOf<Type> = SetOf<Type>>(
  target: Target<Type>,
  change: {
    readonly set?: Set & Only<Set, NamesOf<SetOf<Type>>>
    readonly add?: AddOf<Type>
    readonly remove?: readonly RemovableOf<Type>[]
  },
  when: Condition,
): Update {
  return makeUpdate(target, change, when)
}

/**
 * A row that is made by its first write and changed by the later ones.
 * @param once what the first write gives it for ever
 * @param when must hold for a row that is not there, too
 * @throws WriteRefusedError as {@link update}
 */
export function upsert<Type extends RowType>(
  target: Target<Type>,
  once: Partial<Omit<Fresh<Type>, 'pk' | 'sk' | 'et' | 'v' | 'rev' | 'updatedAt'>>,
  when: Condition,
  change: Change<Type> = {},
): Update {
  return makeUpdate(target, { ...change, setOnce: { v: 1, et: target.et, ...once } }, when)
}

/** Takes a row away: only one that moves to another collection in the same transaction. */
export function drop(key: Key, when: Condition): Write {
  return makeBare('delete', key, when)
}

/** Changes nothing and lets the transaction fail unless the condition holds. */
export function check(key: Key, when: Condition): Write {
  return makeBare('check', key, when)
}

/** The same as a follow-up that may stand already: the transaction goes on without it when only this stood in the way. */
export function optional<W extends Write>(write: W): W {
  return { ...write, optional: true }
}
