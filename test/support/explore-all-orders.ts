import type { Explore, Side } from './explore-orders.ts'

/** Plays two handlers in every order of their calls, those that make no difference too: what `exploreOrders` is measured by. */
export const exploreAllOrders: Explore = async (limit, play) => {
  let given: readonly Side[] = []
  for (let played = 1; ; played++) {
    const order: readonly Side[] = given
    const made: Side[] = []
    const couldTurnAt: number[] = []
    await play({
      next(able) {
        const [first = 0] = able
        const by = order[made.length] ?? first
        if (able.length === 2 && by === 0) couldTurnAt.push(made.length)
        made.push(by)
        return by
      },
      made() {},
    })
    const turn = couldTurnAt.at(-1)
    if (turn === undefined) return { played, isComplete: true }
    if (played === limit) return { played, isComplete: false }
    given = [...made.slice(0, turn), 1]
  }
}
