import type { Key } from './keys.ts'
import type { RowOf, RowType } from './rows.ts'

/** A row as a write names it: its key, and the type that its attributes are checked by. */
export interface Target<Type extends RowType> extends Key {
  readonly et: Type
}

/** Set by every write itself, or never changed. */
type Written = 'pk' | 'sk' | 'et' | 'v' | 'rev' | 'updatedAt'

/** The attribute of a row that only the machine of its states may move (`moveRow`). */
export interface StateAttribute {
  readonly ORDER: 'status'
  readonly TASK: 'status'
  readonly PAYATTEMPT: 'state'
  readonly LINE: 'state'
  readonly REFUND: 'state'
}

/** Types of rows that have a machine. */
export type MovedType = keyof StateAttribute

type Moved<Type> = Type extends MovedType ? StateAttribute[Type] : never

/** Attributes that a write may give a value; one that is `undefined` is left as it is. */
export type SetOf<Type extends RowType> = Type extends RowType
  ? { readonly [Name in Exclude<keyof RowOf<Type>, Written | Moved<Type>>]?: RowOf<Type>[Name] | undefined }
  : never

type NumbersOf<Row> = { [Name in keyof Row]-?: NonNullable<Row[Name]> extends number ? Name : never }[keyof Row]
type OptionalsOf<Row> = { [Name in keyof Row]-?: undefined extends Row[Name] ? Name : never }[keyof Row]

/** Counts that a write may raise or lower. */
export type AddOf<Type extends RowType> = Type extends RowType
  ? { readonly [Name in Exclude<NumbersOf<RowOf<Type>>, Written>]?: number }
  : never

/** Attributes that a row can be without. */
export type RemovableOf<Type extends RowType> = Type extends RowType ? OptionalsOf<RowOf<Type>> : never

/**
 * A row that nobody has written yet. Its first revision is 1 unless it says otherwise; an attribute that is `undefined` is not
 * written.
 */
export type Fresh<Type extends RowType> = Type extends RowType
  ? Omit<Loose<RowOf<Type>>, 'v' | 'rev' | 'updatedAt'> & Partial<Pick<RowOf<Type>, 'v' | 'rev' | 'updatedAt'>>
  : never

type Loose<Row> = { readonly [Name in keyof Row]: undefined extends Row[Name] ? Row[Name] | undefined : Row[Name] }

/** Refuses attributes that the type of row does not have, also those that a spread brings. */
export type Only<Given, Known> = { readonly [Name in Exclude<keyof Given, Known>]: never }

/** Names of a union's attributes, all of its members'. */
export type NamesOf<Union> = Union extends unknown ? keyof Union : never

/** What an update does to a row beside raising its revision. */
export interface Change<Type extends RowType> {
  readonly set?: SetOf<Type>
  readonly add?: AddOf<Type>
  readonly remove?: readonly RemovableOf<Type>[]
}
