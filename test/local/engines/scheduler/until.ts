import { vi } from 'vitest'

/** Waits until something holds, with patience for a busy machine. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<boolean> =>
  vi.waitUntil(holds, { timeout: 15_000, interval: 5 })
