import { vi } from 'vitest'
import { patienceMs } from '../../../support/patience.ts'

/** Waits until something holds, with patience for a busy machine. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<boolean> =>
  vi.waitUntil(holds, { timeout: patienceMs(15), interval: 5 })
