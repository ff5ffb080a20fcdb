import { expect, it } from 'vitest'
import { bookEvent } from '../../modules/booking/book-event.ts'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import { callbackKey, recordCallback } from '../../modules/ledger/callback/record-callback.ts'
import { locateOrder } from '../../modules/ledger/read/locate-order.ts'
import { withFaults } from '../support/faults.ts'
import { fileOf, movesOf, paid, putPayingOrder, tasksOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback, parseBank, sha256 } from '../support/world-bank.ts'

/** Four times fifty rounds. */
const SEEDS = [20_260_301, 20_260_302, 20_260_303, 20_260_304]
const ROUNDS = 50

/** A small generator, so that a failure can be played again from its seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** What a query that found the payment does: the same event, by another road. */
async function bookAsQuery(world: World, callback: ReturnType<typeof aCallback>): Promise<void> {
  const parsed = parseBank(callback)
  const event = parsed.ok ? parsed.events[0] : undefined
  if (event === undefined) throw new Error('no event')
  const location = await locateOrder(world.ledger, event)
  const record = {
    channel: event.channel,
    eventId: `query-${event.eventId}`,
    receivedAt: callback.receivedAt,
    keyId: 'query',
    headers: {},
    bodySha256: sha256(callback.body),
    raw: { gzip: new Uint8Array() },
  }
  await recordCallback(world.ledger, location.pk, record, world.clock.now())
  await bookEvent(world.takeDeps, {
    location,
    event,
    evidence: callbackKey(location.pk, record),
    operatorType: 'QUERY',
  })
}

it.each(SEEDS)(
  'the answer of a query and the callback at once, with random delays (seed %i): one PAID each',
  async (seed) => {
    const random = randomFrom(seed)
    const broken: string[] = []
    const winners = new Set<string>()
    const base = await openWorld()
    const slow = (): World => {
      const ledger = withFaults(base.ledger, async () => {
        for (let turn = Math.floor(random() * 6); turn > 0; turn--)
          await new Promise((resolve) => setImmediate(resolve))
      })
      return { ...base, ledger, takeDeps: { ...base.takeDeps, ledger } }
    }
    const [one, two] = [slow(), slow()]

    for (let round = 0; round < ROUNDS; round += 2) {
      await Promise.all(
        [0, 1].map(async () => {
          const orderNo = await putPayingOrder(base)
          const callback = aCallback(paid(orderNo))
          await Promise.all([
            takeCallback(one.takeDeps, callback, sha256(callback.body), parseBank(callback)),
            bookAsQuery(two, callback),
          ])
          const file = await fileOf(base, orderNo)
          const paidMoves = movesOf(file).filter((move) => move.endsWith('>PAID')).length
          winners.add(file.journal.find(({ to }) => to === 'PAID')?.operatorType ?? 'nobody')
          if (paidMoves !== 1 || file.payments.length !== 1 || tasksOf(file, 'DELIVER').length !== 1)
            broken.push(orderNo)
          if (file.lines.some(({ state }) => state !== 'SOLD')) broken.push(orderNo)
        }),
      )
    }

    expect(broken).toEqual([])
    expect([...winners].toSorted()).toEqual(['CALLBACK', 'QUERY'])
  },
)
