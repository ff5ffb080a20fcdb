import type { Json } from '../../host/template/json.ts'
import type { FailureText } from './errors.ts'
import type { Branch } from './execution.ts'
import { iteration, mapEnded } from './history.ts'
import { selectItem } from './interpret/enter-state.ts'
import { maxMapConcurrency } from './limits.ts'
import type { Moves } from './moves.ts'

/** Starts as many iterations as may run now, or ends the Map when all are done. */
export function runMap(moves: Moves, main: Branch, items: readonly Json[]): void {
  const { state } = moves
  const { MaxConcurrency = 0 } = state.mapState()
  const most = MaxConcurrency === 0 ? maxMapConcurrency : Math.min(MaxConcurrency, maxMapConcurrency)
  const started = state.iterations()
  let running = started.filter(({ phase }) => phase.kind !== 'done').length
  if (running === 0 && started.length === items.length) endMap(moves, main, started)
  for (let next = started.length; next < items.length && running < most; next++, running++) {
    const item = items[next] ?? null
    const place = { state: main.state, input: item, phase: { kind: 'selecting' as const } }
    const branch = state.addBranch(next + 1, place)
    if (!moves.note(branch, iteration('Started', main.state, next))) return
    selectInput(moves, branch)
  }
}

/** Selects the input of an iteration and enters its first state; a fault of the selector fails the Map. */
export function selectInput(moves: Moves, branch: Branch): void {
  const map = moves.state.mapState()
  moves.inPhase(branch, {
    work: () => selectItem(map, branch.input, moves.state.scopeOf(branch)),
    use: (input) => moves.enter(branch, map.processor.startAt, input),
    lose: (failure) => loseIteration(moves, branch, failure),
  })
}

/** Ends an iteration that went well. */
export function endIteration(moves: Moves, branch: Branch, output: Json): void {
  const main = moves.state.main()
  moves.move(branch, { kind: 'done', output }, iteration('Succeeded', main.state, branch.index - 1))
  if (main.phase.kind === 'map' && moves.state.isOpen()) runMap(moves, main, main.phase.items)
}

/** One failed iteration ends the others, and fails the Map with its own error. */
export function loseIteration(moves: Moves, branch: Branch, failure: FailureText): void {
  const main = moves.state.main()
  const others = moves.state.iterations().filter((other) => other !== branch && other.phase.kind !== 'done')
  if (!moves.note(branch, iteration('Failed', main.state, branch.index - 1))) return
  for (const other of others) {
    if (!moves.note(other, iteration('Aborted', main.state, other.index - 1))) return
  }
  moves.state.dropIterations()
  const whole = { error: failure.error ?? 'States.TaskFailed', cause: failure.cause }
  moves.move(main, { kind: 'failed', failure: whole }, mapEnded('Failed'))
}

function endMap(moves: Moves, main: Branch, iterations: readonly Branch[]): void {
  const outputs = iterations.map(({ phase }) => (phase.kind === 'done' ? phase.output : null))
  moves.state.dropIterations()
  moves.move(main, { kind: 'succeeded', result: outputs }, mapEnded('Succeeded'))
}
