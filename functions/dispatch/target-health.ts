/** Failures of one target in a row after which it is passed over. */
const FAILURES = 5
/** So long nobody waits for it: a record costs nothing then, and those of other targets go out. */
const PASS_OVER_MS = 30_000

/** Which targets (a lane's queue, the scheduler) take part at present, as this environment has seen it. */
export interface TargetHealth {
  /** @throws TargetPassedOverError while the target failed again and again a moment ago; what `send` throws */
  through<T>(target: string, send: () => Promise<T>): Promise<T>
}

/** A target that did not answer is not asked now. The due index has the row: the sweep asks again within minutes. */
export class TargetPassedOverError extends Error {
  override readonly name = 'TargetPassedOverError'
  readonly code = 'TARGET_PASSED_OVER'
}

/** Each failure may cost seconds of tries: with a batch of one dead lane the triggers of all others would wait for it. */
export function openTargetHealth(nowMs: () => number): TargetHealth {
  const failing = new Map<string, { readonly count: number; readonly untilMs: number }>()
  return {
    async through(target, send) {
      const { count = 0, untilMs = 0 } = failing.get(target) ?? {}
      if (nowMs() < untilMs) throw new TargetPassedOverError(`'${target}' failed again and again and is passed over.`)
      try {
        const result = await send()
        failing.delete(target)
        return result
      } catch (error) {
        const failures = (failing.get(target)?.count ?? count) + 1
        failing.set(target, { count: failures, untilMs: failures >= FAILURES ? nowMs() + PASS_OVER_MS : 0 })
        throw error
      }
    },
  }
}
