import { plusMs } from '../modules/core/instant.ts'
import { NOTICES_GATE } from '../modules/core/notice.ts'
import { ArgumentError, type Command } from './arguments.ts'
import type { OpsDeps } from './deps.ts'
import type { Line } from './line.ts'
import { wakeParked } from './wake-parked.ts'

type GateCommand = Extract<Command, { name: `gate ${string}` }>

/**
 * Shows, stops or frees the gates of lanes. A lane that is stopped loses nothing: its tasks are parked and use no retry.
 * @throws ArgumentError for a lane without a gate; GateBusyError, ZodError, errors of the SDK
 */
export async function* moveGate(deps: OpsDeps, command: GateCommand): AsyncGenerator<Line> {
  // Work inside our own account calls nobody; notices have a gate beside that of the merchant's lane.
  const gated = [...deps.lanes.filter((lane) => lane !== 'internal'), NOTICES_GATE]
  const known = (lane: string): string => {
    if (gated.includes(lane)) return lane
    throw new ArgumentError(`There is no gate of '${lane}'; there are ${gated.join(', ')}.`)
  }
  switch (command.name) {
    case 'gate show':
      for (const lane of command.lane === undefined ? gated : [known(command.lane)]) yield await show(deps, lane)
      return
    case 'gate pause': {
      const lane = known(command.lane)
      const until = plusMs(deps.now(), command.forMs)
      // The row is what a colleague sees; the name is in it.
      await deps.gate.pause(lane, until, `${command.reason} (${deps.by})`)
      yield { result: 'done', action: command.name, item: lane, detail: `until ${until}, ${command.reason}` }
      return
    }
    case 'gate resume': {
      const lane = known(command.lane)
      await deps.gate.resume(lane)
      yield { result: 'done', action: command.name, item: lane, detail: 'calls go out again, without probes' }
      // Its slots are void: who holds one would sleep until a time that says nothing any more.
      const { ratePerS } = await deps.gate.read(lane)
      const woken = await wakeParked(deps, lane, ratePerS)
      if (woken > 0) yield { result: 'done', action: 'wake', item: lane, detail: `${woken} parked tasks ask again` }
    }
  }
}

async function show({ gate }: OpsDeps, lane: string): Promise<Line> {
  const { state, ratePerS, calls, failures, nextSlotAt, openUntil, reason } = await gate.read(lane)
  const detail = [
    state,
    `${ratePerS}/s`,
    `${failures} of ${calls} calls failed`,
    `next free slot ${nextSlotAt}`,
    ...(openUntil === undefined ? [] : [`kept back until ${openUntil}`]),
    ...(reason === undefined ? [] : [reason]),
  ]
  return { result: 'shown', action: 'gate', item: lane, detail: detail.join(', ') }
}
