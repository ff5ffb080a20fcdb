import type { Clock } from './clock.ts'

/** Node's timers hold 32 bits; a longer wait is cut into pieces. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A timer that follows the clock through its leaps. */
export interface Alarm {
  /** Looks at the due time again; call it whenever that may have changed. */
  rearm(): void
  close(): void
}

/**
 * Runs something at its due time, then looks for the next one.
 * @param dueAt the next due time in ms since the epoch, `undefined` when there is none
 * @param run called once the due time has come; it must move the due time on
 */
export function openAlarm(clock: Clock, dueAt: () => number | undefined, run: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const rearm = () => {
    clearTimeout(timer)
    const due = closed ? undefined : dueAt()
    if (due === undefined) return
    timer = setTimeout(ring, Math.min(Math.max(due - clock.now(), 0), MAX_TIMER_MS)).unref()
  }
  const ring = () => {
    const due = dueAt()
    if (!closed && due !== undefined && due <= clock.now()) run()
    rearm()
  }

  clock.onLeap(rearm)
  rearm()
  return {
    rearm,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
