import type { HistoryEvent } from '@aws-sdk/client-sfn'
import type { Flow, State } from '../../local/engines/step-functions/definition/machine.ts'
import { matches } from '../../local/engines/step-functions/interpret/handle-failure.ts'

type Handlers = readonly { readonly ErrorEquals: readonly string[] }[]

const retriersOf = (state: State): Handlers => (state.Type === 'Task' ? state.Retry : [])
const catchersOf = (state: State): Handlers => (state.Type === 'Task' || state.Type === 'Map' ? state.Catch : [])

/** Every state, retrier and catcher of a machine, as text. */
export function edgesOf(flow: Flow): string[] {
  return [...flow.states].flatMap(([name, state]) => [
    name,
    ...retriersOf(state).map((_, index) => `${name} retry ${index}`),
    ...catchersOf(state).map((_, index) => `${name} catch ${index}`),
    ...(state.Type === 'Map' ? edgesOf(state.processor) : []),
  ])
}

const statesOf = (flow: Flow): [string, State][] =>
  [...flow.states].flatMap(([name, state]): [string, State][] => [
    [name, state],
    ...(state.Type === 'Map' ? statesOf(state.processor) : []),
  ])

/** What an execution took of them, read from its history; iterations must have run one after the other. */
export function edgesTaken(flow: Flow, events: readonly HistoryEvent[]): string[] {
  const states = new Map(statesOf(flow))
  const failed = new Map<string, string>()
  const inside: string[] = []
  const taken: string[] = []
  let lastError = ''
  const handledBy = (kind: 'retry' | 'catch', name: string, handlers: (state: State) => Handlers) => {
    const state = states.get(name)
    const error = failed.get(name)
    if (state === undefined || error === undefined) return
    failed.delete(name)
    const index = handlers(state).findIndex(({ ErrorEquals }) => ErrorEquals.some((named) => matches(named, error)))
    taken.push(`${name} ${kind} ${index}`)
  }
  for (const event of events) {
    const name = inside.at(-1) ?? ''
    const failure = event.taskFailedEventDetails ?? event.taskTimedOutEventDetails ?? event.evaluationFailedEventDetails
    if (failure !== undefined) {
      lastError = failure.error ?? ''
      failed.set(name, lastError)
    }
    if (event.type === 'TaskScheduled') handledBy('retry', name, retriersOf)
    if (event.type === 'MapIterationFailed') inside.pop()
    if (event.type === 'MapStateFailed') failed.set(inside.at(-1) ?? '', lastError)
    if (event.stateExitedEventDetails !== undefined) {
      handledBy('catch', name, catchersOf)
      inside.pop()
    }
    if (event.stateEnteredEventDetails?.name !== undefined) {
      inside.push(event.stateEnteredEventDetails.name)
      taken.push(event.stateEnteredEventDetails.name)
    }
  }
  return taken
}
