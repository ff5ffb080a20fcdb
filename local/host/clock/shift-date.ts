/**
 * Replaces this thread's `Date` by real time plus an offset that another thread may move.
 * `performance.now` and timers stay real, so time limits of HTTP calls and functions keep their meaning.
 * @param offset one 64-bit integer, in ms
 */
export function shiftDate(offset: SharedArrayBuffer): void {
  const cell = new BigInt64Array(offset)
  const RealDate = Date
  const now = () => RealDate.now() + Number(Atomics.load(cell, 0))

  const ShiftedDate = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
  })
  RealDate.prototype.constructor = ShiftedDate
  globalThis.Date = ShiftedDate
}
