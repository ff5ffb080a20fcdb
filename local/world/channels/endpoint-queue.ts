import type { Notice } from './payment.ts'

/** Whether a notice stands in the queue of its endpoint, at a channel that has one. */
export function isQueued({ attempts }: Notice, queuedAfterSends: number | undefined): boolean {
  return queuedAfterSends !== undefined && attempts >= queuedAfterSends
}

/**
 * The notices that may go out as far as the queue of their endpoint allows: while one stands in it, nothing later overtakes it.
 * @param queuedAfterSends sends after which a notice stands in the queue; `undefined`: there is no queue
 */
export function notHeldUp(
  waiting: readonly Notice[],
  sending: ReadonlySet<Notice>,
  queuedAfterSends: number | undefined,
): readonly Notice[] {
  const stands = (notice: Notice) => isQueued(notice, queuedAfterSends)
  if ([...sending].some(stands)) return []
  const first = waiting.filter(stands).toSorted((a, b) => a.id - b.id)[0]
  return first === undefined ? waiting : waiting.filter(({ id }) => id <= first.id)
}
