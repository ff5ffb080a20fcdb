import { type Machine, statesBefore, stepOf } from '../../core/machine.ts'
import { allOf, type Condition, oneOf } from './conditions.ts'
import { makeUpdate, type Update } from './make-write.ts'
import type { RowOf } from './rows.ts'
import type { Change, MovedType, StateAttribute, Target } from './write-types.ts'

const STATE: StateAttribute = {
  ORDER: 'status',
  TASK: 'status',
  PAYATTEMPT: 'state',
  LINE: 'state',
  REFUND: 'state',
}

type StateOf<Type extends MovedType> =
  RowOf<Type> extends { status: infer Status extends string }
    ? Status
    : RowOf<Type> extends { state: infer State extends string }
      ? State
      : never

/** The machine has no such edge: a decision was made from the wrong state. A bug, never a lost race. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError'
  readonly code = 'ILLEGAL_TRANSITION'

  constructor(machine: string, { pk, sk }: Target<MovedType>, from: string, event: string) {
    super(`The ${machine} ${pk} / ${sk} in ${from} has no edge '${event}'. Decide again from the row as it is now.`)
  }
}

/**
 * A row's step along its machine, with what changes beside the state: the only write of a state there is.
 * @param from the state that the decision saw
 * @param more further conditions; the write always demands a state from which the event leads to the same one
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function moveRow<Type extends MovedType, Event extends string>(
  machine: Machine<StateOf<Type>, Event>,
  { target, from }: { readonly target: Target<Type>; readonly from: StateOf<Type> },
  event: Event,
  { change = {}, when }: { readonly change?: Change<Type>; readonly when?: Condition } = {},
): Update {
  const to = stepOf(machine, from, event)
  if (to === undefined) throw new IllegalTransitionError(machine.name, target, from, event)
  const attribute = STATE[target.et]
  const before = statesBefore(machine, event).filter((state) => stepOf(machine, state, event) === to)
  const stateIs = oneOf(`${machine.name}${attribute}Is`, attribute, before)
  const set = { ...change.set, [attribute]: to }
  return makeUpdate(target, { ...change, set }, when === undefined ? stateIs : allOf(stateIs, when))
}
