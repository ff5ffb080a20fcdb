import { type Condition, rowExists } from '../../modules/ledger/table/conditions.ts'
import type { Key } from '../../modules/ledger/table/keys.ts'
import type { Put, Update } from '../../modules/ledger/table/make-write.ts'

type Values = Readonly<Record<string, unknown>>

/** A write that no maker of the ledger would make: rows that no schema knows, and states without their machine. */
export function rawPut(item: Key & Values, when: Condition): Put {
  return { op: 'put', item, when } as Put
}

/** As {@link rawPut}, of an update. */
export function rawUpdate(
  { pk, sk }: Key,
  change: {
    readonly set?: Values
    readonly add?: Readonly<Record<string, number>>
    readonly remove?: readonly string[]
  },
  when: Condition = rowExists,
): Update {
  const { set = {}, add = {}, remove = [] } = change
  return { op: 'update', key: { pk, sk }, set, setOnce: {}, add, remove, when } as Update
}
