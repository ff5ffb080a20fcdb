/** A state machine as one table: `edges[from][event]` is the next state. What is not in the table is impossible. */
export interface Machine<State extends string, Event extends string> {
  readonly name: string
  readonly initial: readonly State[]
  readonly final: readonly State[]
  readonly edges: { readonly [From in State]: { readonly [On in Event]?: State } }
}

/** The state that `event` leads to, or `undefined` when the table has no such edge. */
export function stepOf<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  from: State,
  event: Event,
): State | undefined {
  return machine.edges[from][event]
}

/** The states from which `event` has an edge: what a conditional write may find. */
export function statesBefore<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  event: Event,
): readonly State[] {
  return Object.entries<{ readonly [On in Event]?: State }>(machine.edges).flatMap(([from, on]) =>
    on[event] === undefined ? [] : [from as State],
  )
}
