/** Others kept changing a lane's row: its task is parked for a moment and asks anew. */
export class GateBusyError extends Error {
  override readonly name = 'GateBusyError'
  readonly code = 'GATE_BUSY'

  constructor(lane: string) {
    super(`The gate of lane ${lane} changed at each of our writes; the task asks again in a few seconds.`)
  }
}
