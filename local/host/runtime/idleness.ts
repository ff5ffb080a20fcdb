import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock/clock.ts'

const CHECK_INTERVAL_MS = 2

/** Something that may have work in hand now, or planned for later. */
export interface WorkSource {
  isBusy?(): boolean
  /** When it has something to do next, in ms since the epoch; `undefined` when nothing is planned. */
  nextDueAt?(): number | undefined
  /** True for work that comes again for ever, like a rule each minute. */
  recurring?: boolean
  /** Asked only when all sources are quiet: looks into what is not in memory, as a table's stream. */
  hasUnread?(): Promise<boolean>
}

/** All work of the local host, seen together. */
export interface Idleness {
  add(source: WorkSource): void
  /** Counts something that has just ended and may have left new work behind. */
  noteActivity(): void
  /** Resolves when nothing runs, waits, is unread or due; what is planned for later does not count. */
  idle(): Promise<void>
  /** The earliest time at which a source has something to do. */
  nextDueAt(options?: { recurring: boolean }): number | undefined
  /** Lets every `idle()` that waits resolve. */
  close(): void
}

/** Starts with no source of work. */
export function watchIdleness(clock: Clock): Idleness {
  const sources: WorkSource[] = []
  let activity = 0
  let closed = false

  const nextDueAt = (options = { recurring: true }): number | undefined => {
    const dues = sources
      .filter((source) => options.recurring || source.recurring !== true)
      .map((source) => source.nextDueAt?.())
      .filter((due) => due !== undefined)
    return dues.length === 0 ? undefined : Math.min(...dues)
  }
  const isQuiet = () => {
    if (sources.some((source) => source.isBusy?.() === true)) return false
    return (nextDueAt() ?? Number.POSITIVE_INFINITY) > clock.now()
  }
  const hasUnread = async () => {
    const answers = await Promise.all(sources.map((source) => source.hasUnread?.()))
    return answers.includes(true)
  }

  return {
    add: (source) => {
      sources.push(source)
    },
    noteActivity: () => {
      activity += 1
    },
    nextDueAt,
    idle: async () => {
      while (!closed) {
        const before = activity
        // An invocation that began and ended during the question may have written what the answer does not tell.
        if (isQuiet() && !(await hasUnread()) && isQuiet() && activity === before) return
        await sleep(CHECK_INTERVAL_MS)
      }
    },
    close: () => {
      closed = true
    },
  }
}
