import type { Instant } from '../../core/instant.ts'

/** A row as a failed condition found it; `undefined` where there was none. */
export type Found = Readonly<Record<string, unknown>> | undefined

/** A condition of a write under a name, so that a loser knows which arm stood in the way. */
export interface Condition {
  readonly name: string
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, unknown>>
  /** Whether it holds of a row: DynamoDB says that a condition failed and shows the row, but not which arm it was. */
  readonly holds: (row: Found) => boolean
  /** Of one that is made of others ({@link allOf}). */
  readonly arms?: readonly Condition[]
}

/** Holds when no row of this key exists: the first to claim a number has it for ever. */
export const rowIsNew: Condition = {
  name: 'rowIsNew',
  expression: 'attribute_not_exists(pk)',
  names: {},
  values: {},
  holds: (row) => row === undefined,
}

/** Holds when the row exists. */
export const rowExists: Condition = {
  name: 'rowExists',
  expression: 'attribute_exists(pk)',
  names: {},
  values: {},
  holds: (row) => row !== undefined,
}

/** Holds when no row of this key exists, or it is of this type: for one that is made once and written again and again. */
export const rowIsNewOr = (et: string): Condition => ({
  name: 'rowIsNewOrOfItsType',
  expression: '(attribute_not_exists(pk) OR #et = :rowType)',
  names: { '#et': 'et' },
  values: { ':rowType': et },
  holds: (row) => row === undefined || row['et'] === et,
})

/** Holds while nobody wrote the row since it was read: everything decided from it is still true. */
export const revIs = (rev: number): Condition => equals('revIs', 'rev', rev)

/** Holds while a task's time has come, one second of clock skew allowed. */
export const taskIsDue = (latest: Instant): Condition => ({
  name: 'taskIsDue',
  expression: 'nextExecuteAt <= :latest',
  names: {},
  values: { ':latest': latest },
  holds: (row) => isBefore(row?.['nextExecuteAt'], latest) || row?.['nextExecuteAt'] === latest,
})

/** Holds while the claim is ours: same holder, same fence. A worker whose lease lapsed and was taken over fails here. */
export const claimIsOurs = (lockedBy: string, fence: number): Condition => ({
  name: 'claimIsOurs',
  expression: 'lockedBy = :lockedBy AND fence = :fence',
  names: {},
  values: { ':lockedBy': lockedBy, ':fence': fence },
  holds: (row) => row?.['lockedBy'] === lockedBy && row['fence'] === fence,
})

/**
 * Holds while no other effect works on the order, or the lease of the one that did has lapsed. The task's own earlier claim is
 * no other effect: the task waits again, so that claim was taken back.
 */
export const noOtherEffect = (now: Instant, taskNo: string): Condition => ({
  name: 'noOtherEffect',
  expression:
    '(attribute_not_exists(activeTask) OR activeTask.leaseUntil < :nowForLease OR activeTask.taskNo = :ownTask)',
  names: {},
  values: { ':nowForLease': now, ':ownTask': taskNo },
  holds: (row) => {
    const active = part(row, 'activeTask')
    return active === undefined || isBefore(active['leaseUntil'], now) || active['taskNo'] === taskNo
  },
})

/** Holds while our own effect holds the order. */
export const effectIsOurs = (taskNo: string, fence: number): Condition => ({
  name: 'effectIsOurs',
  expression: 'activeTask.taskNo = :effectTask AND activeTask.fence = :effectFence',
  names: {},
  values: { ':effectTask': taskNo, ':effectFence': fence },
  holds: (row) => part(row, 'activeTask')?.['taskNo'] === taskNo && part(row, 'activeTask')?.['fence'] === fence,
})

/** Holds while the sweep's view of the row is current: somebody who acted has moved `dueAt`. */
export const dueAtIs = (dueAt: Instant): Condition => equals('dueAtIs', 'dueAt', dueAt)

/** Holds while nobody asked for the row's trigger anew. */
export const wakeIs = (wake: Instant): Condition => equals('wakeIs', 'wake', wake)

/** Holds while a guard leads to this collection. */
export const collectionIs = (pk: string): Condition => equals('collectionIs', 'collection', pk)

/** Holds while a bucket can give so much: nothing is ever taken below zero. */
export const stockIsAvailable = (qty: number): Condition => ({
  name: 'stockIsAvailable',
  expression: '#available >= :qtyToTake',
  names: { '#available': 'available' },
  values: { ':qtyToTake': qty },
  holds: (row) => typeof row?.['available'] === 'number' && row['available'] >= qty,
})

/** Holds while an attribute is absent. */
export const isAbsent = (attribute: string): Condition => ({
  name: `${attribute}IsAbsent`,
  expression: `attribute_not_exists(#absent_${attribute})`,
  names: { [`#absent_${attribute}`]: attribute },
  values: {},
  holds: (row) => row?.[attribute] === undefined,
})

/** Holds while an attribute has one of these values. */
export function oneOf(name: string, attribute: string, allowed: readonly string[]): Condition {
  const placeholders = allowed.map((_, index) => `:${name}${index}`)
  return {
    name,
    expression: `#${name} IN (${placeholders.join(', ')})`,
    names: { [`#${name}`]: attribute },
    values: Object.fromEntries(allowed.map((value, index) => [`:${name}${index}`, value])),
    holds: (row) => allowed.some((value) => row?.[attribute] === value),
  }
}

/** Holds when every one of them holds. */
export function allOf(...conditions: readonly Condition[]): Condition {
  return {
    name: conditions.map((condition) => condition.name).join('+'),
    expression: conditions.map((condition) => condition.expression).join(' AND '),
    names: Object.assign({}, ...conditions.map((condition) => condition.names)),
    values: Object.assign({}, ...conditions.map((condition) => condition.values)),
    holds: (row) => conditions.every((condition) => condition.holds(row)),
    arms: conditions,
  }
}

/** Names of the arms that a row made fail. */
export function failedArms(condition: Condition, row: Found): readonly string[] {
  const failed = leaves(condition).filter((arm) => !arm.holds(row))
  return failed.length === 0 ? [condition.name] : failed.map(({ name }) => name)
}

function leaves(condition: Condition): readonly Condition[] {
  return condition.arms === undefined ? [condition] : condition.arms.flatMap(leaves)
}

function equals(name: string, attribute: string, value: string | number): Condition {
  return {
    name,
    expression: `#${name} = :${name}`,
    names: { [`#${name}`]: attribute },
    values: { [`:${name}`]: value },
    holds: (row) => row?.[attribute] === value,
  }
}

const isBefore = (text: unknown, instant: Instant): boolean => typeof text === 'string' && text < instant

function part(row: Found, name: string): Readonly<Record<string, unknown>> | undefined {
  const value = row?.[name]
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}
