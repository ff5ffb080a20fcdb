import type { Clock } from '../../../../local/host/clock/clock.ts'

/** Real time that can jump ahead. */
export function leapingClock(): Clock & { leap(ms: number): void } {
  const listeners: (() => void)[] = []
  let offsetMs = 0
  return {
    now: () => Date.now() + offsetMs,
    onLeap: (listener) => listeners.push(listener),
    leap: (ms) => {
      offsetMs += ms
      for (const listener of listeners) listener()
    },
  }
}
