import { isDeepStrictEqual } from 'node:util'
import { commute, type Touch } from './footprint.ts'

export type Side = 0 | 1
const otherOf = (side: Side): Side => (side === 0 ? 1 : 0)

/** One call that one of two handlers has made, with all that it read and wrote. */
export interface Step {
  readonly by: Side
  readonly touches: readonly Touch[]
}

/** Says at each point of a play who makes the next call, and is told what that call touched. */
export interface Director {
  next(able: readonly Side[]): Side
  made(step: Step): void
}

export interface Exploration {
  readonly played: number
  /** True when no order is left out. */
  readonly isComplete: boolean
}

export type Explore = (limit: number, play: (director: Director) => Promise<void>) => Promise<Exploration>

/** A point of the present order, where one of the two makes its next call. */
interface Point {
  readonly by: Side
  /** Absent until the call has been made. */
  touches?: readonly Touch[]
  /** True when the other side's turn at this point leads to an order that is still to be played. */
  isRaced: boolean
  /** A call that was tried here, or at an earlier point, before: until a call that it does not commute with, its turn is nothing new. */
  readonly asleep?: Step
}

/**
 * Plays two handlers in every distinguishable order of their calls, each exactly once: of orders that differ only in neighbouring
 * calls that commute, one is played (dynamic partial-order reduction with sleep sets). A play must depend on nothing but the order,
 * with the same names each time.
 * @throws Error when a play that is begun in the same order goes another way
 * Source: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005; Godefroid,
 * "Partial-order methods for the verification of concurrent systems", LNCS 1032, 1996, chapter 5 (sleep sets)
 */
export const exploreOrders: Explore = async (limit, play) => {
  let path: readonly Point[] = []
  for (let played = 1; ; played++) {
    path = await playAlong(path, play)
    markRaces(path)
    const turn = path.findLastIndex(({ isRaced }) => isRaced)
    const point = path[turn]
    if (point === undefined) return { played, isComplete: true }
    if (played === limit) return { played, isComplete: false }
    path = [...path.slice(0, turn), turned(point)]
  }
}

/** The same point with the other side's turn; what the first one's call would do is known. */
function turned({ by, touches = [] }: Point): Point {
  return { by: otherOf(by), isRaced: false, asleep: { by, touches } }
}

/** Plays the given points again and goes on from the last one to the end. */
async function playAlong(given: readonly Point[], play: (director: Director) => Promise<void>): Promise<Point[]> {
  const path: Point[] = []
  let asleep: Step | undefined
  await play({
    next(able) {
      const point = given[path.length] ?? { by: awake(able, asleep), isRaced: false, ...(asleep && { asleep }) }
      if (!able.includes(point.by)) throw new Error(OTHER_WAY)
      path.push(point)
      return point.by
    },
    made({ by, touches }) {
      const point = path.at(-1)
      if (point?.by !== by) throw new Error('A call was made out of turn.')
      if (point.touches !== undefined && !isDeepStrictEqual(point.touches, touches)) throw new Error(OTHER_WAY)
      point.touches = touches
      asleep = point.asleep !== undefined && commute(point.asleep.touches, touches) ? point.asleep : undefined
    },
  })
  return path
}

const OTHER_WAY =
  'The same order of calls went another way: a play depends on more than the order, or gives other names.'

function awake(able: readonly Side[], asleep: Step | undefined): Side {
  const [first] = able.filter((side) => side !== asleep?.by)
  // Nobody sleeps to the end: a side was only turned to because a later call of it wakes the other one.
  if (first === undefined) throw new Error('An order would be played twice.')
  return first
}

/** Finds the calls that could have come before the last call of the other side that they do not commute with, and marks where. */
function markRaces(path: readonly Point[]): void {
  /** The last call of the other side that each side's next call comes after in all orders like this one. */
  const after: [number, number] = [-1, -1]
  path.forEach(({ by, touches = [] }, at) => {
    const rival = path.findLastIndex(
      (point, index) => index < at && point.by !== by && !commute(point.touches ?? [], touches),
    )
    if (rival <= after[by]) return
    after[by] = rival
    const point = path[rival]
    if (point !== undefined && point.asleep?.by !== by) point.isRaced = true
  })
}
