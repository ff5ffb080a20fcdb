/** An account of a kind that nothing here can play. */
export class NoSimulatorError extends Error {
  override readonly name = 'NoSimulatorError'
  readonly code = 'NO_SIMULATOR'

  constructor(channelId: string, kind: string) {
    super(
      `There is no simulator for ${kind}. Leave the channel '${channelId}' out of the stage that runs on this machine.`,
    )
  }
}
