import { DefinitionError } from './errors.ts'
import type { Flow, State } from './machine.ts'

/** The states that may follow; none after an end. */
function targetsOf(state: State): string[] {
  switch (state.Type) {
    case 'Task':
    case 'Map':
      return [...state.Catch.map(({ Next }) => Next), ...(state.Next === undefined ? [] : [state.Next])]
    case 'Choice':
      return [...state.Choices.map(({ Next }) => Next), ...(state.Default === undefined ? [] : [state.Default])]
    case 'Succeed':
    case 'Fail':
      return []
  }
}

/** @throws DefinitionError for a target that is not there, a state without an end, and one that nothing reaches */
export function checkTransitions({ startAt, states }: Flow): void {
  if (!states.has(startAt)) throw new DefinitionError(`StartAt names ${startAt}, which is no state.`)
  for (const [name, state] of states) {
    const missing = targetsOf(state).find((target) => !states.has(target))
    if (missing !== undefined) throw new DefinitionError(`State ${name}: Next names ${missing}, which is no state.`)
    if ((state.Type === 'Task' || state.Type === 'Map') && (state.Next === undefined) !== (state.End === true)) {
      throw new DefinitionError(`State ${name}: it needs one of Next and End.`)
    }
  }
  const reached = reach(startAt, states)
  const lost = [...states.keys()].find((name) => !reached.has(name))
  if (lost !== undefined) throw new DefinitionError(`State ${lost}: no state leads to it.`)
}

function reach(startAt: string, states: ReadonlyMap<string, State>): ReadonlySet<string> {
  const reached = new Set([startAt])
  for (const name of reached) {
    const state = states.get(name)
    for (const target of state === undefined ? [] : targetsOf(state)) reached.add(target)
  }
  return reached
}
