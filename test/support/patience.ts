import { inject, vi } from 'vitest'

/** Milliseconds that something which takes at most so many seconds on an idle machine may take on this one. */
export const patienceMs = (seconds: number): number => Math.round(seconds * 1000 * inject('slowness'))

/** Gives each test of a file, and each of its hooks, so many seconds of an idle machine; called at the file's top. */
export function allowSeconds(seconds: number): void {
  vi.setConfig({ testTimeout: patienceMs(seconds), hookTimeout: patienceMs(Math.max(seconds, 120)) })
}
