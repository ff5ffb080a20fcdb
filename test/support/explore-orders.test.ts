import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exploreAllOrders } from './explore-all-orders.ts'
import { type Explore, exploreOrders, type Step } from './explore-orders.ts'
import { commute } from './footprint.ts'
import { type Instruction, playToys, type ToyHandler } from './toy-handlers.ts'

const LIMIT = 5000

/** What two orders must have in common to be the same: each call with what it touched, and who is first of each two that do not commute. */
function classOf(steps: readonly Step[]): string {
  const lists = ([0, 1] as const).map((side) => steps.filter(({ by }) => by === side))
  const firsts = lists[0]?.map((one) =>
    lists[1]?.map((other) =>
      commute(one.touches, other.touches) ? '' : steps.indexOf(one) < steps.indexOf(other) ? '0' : '1',
    ),
  )
  return JSON.stringify([lists.map((list) => list.map(({ touches }) => touches)), firsts])
}

async function exploreToys(explore: Explore, handlers: readonly [ToyHandler, ToyHandler]) {
  const ends = new Set<string>()
  const classes = new Set<string>()
  const result = await explore(LIMIT, async (director) => {
    const { end, steps } = playToys(handlers, director)
    ends.add(end)
    classes.add(classOf(steps))
  })
  return { ...result, ends, classes }
}

const cell = fc.constantFrom('a' as const, 'b' as const, 'c' as const)
const small = fc.integer({ min: 0, max: 2 })
const instruction: fc.Arbitrary<Instruction> = fc.oneof(
  fc.record({ op: fc.constant('read' as const), cell }),
  fc.record({ op: fc.constant('readAll' as const) }),
  fc.record({ op: fc.constant('write' as const), cell, value: small }),
  fc.record({ op: fc.constant('writeKnown' as const), cell, plus: small }),
  fc.record({ op: fc.constant('swap' as const), cell, expected: small, value: small, otherwiseSkip: small }),
  fc.record({ op: fc.constant('skipUnless' as const), known: small, count: small }),
)
const handler = fc.array(instruction, { maxLength: 5 })

describe('of two handlers over shared cells, the orders played', () => {
  it('come to every end that all orders together come to, and are each of another kind', async () => {
    await fc.assert(
      fc.asyncProperty(handler, handler, async (one, other) => {
        const all = await exploreToys(exploreAllOrders, [one, other])
        const few = await exploreToys(exploreOrders, [one, other])

        expect(few.ends).toEqual(all.ends)
        expect(few.classes).toEqual(all.classes)
        expect(few.played).toBe(all.classes.size)
        expect([all.isComplete, few.isComplete]).toEqual([true, true])
      }),
      { numRuns: 600 },
    )
  })

  it('are one where nothing is shared, and where nothing is written', async () => {
    const writer = (name: 'a' | 'b'): ToyHandler => [1, 2, 3, 4].map((value) => ({ op: 'write', cell: name, value }))
    const reader: ToyHandler = Array.from({ length: 4 }, () => ({ op: 'readAll' }))

    expect((await exploreToys(exploreAllOrders, [writer('a'), writer('b')])).played).toBe(70)
    expect((await exploreToys(exploreOrders, [writer('a'), writer('b')])).played).toBe(1)
    expect((await exploreToys(exploreOrders, [reader, reader])).played).toBe(1)
  })

  it('are all there are where every call touches the same', async () => {
    const writer: ToyHandler = [1, 2, 3, 4].map((value) => ({ op: 'write', cell: 'a', value }))

    expect((await exploreToys(exploreOrders, [writer, writer])).played).toBe(70)
  })

  it('show the update that two who read before they write lose', async () => {
    const raise: ToyHandler = [
      { op: 'read', cell: 'a' },
      { op: 'writeKnown', cell: 'a', plus: 1 },
    ]

    const { ends } = await exploreToys(exploreOrders, [raise, raise])

    expect([...ends].map((end) => JSON.parse(end).cells.a).toSorted()).toEqual([1, 2, 2])
  })

  it('leave some out when the limit is reached, and say so', async () => {
    const writer: ToyHandler = [1, 2, 3, 4].map((value) => ({ op: 'write', cell: 'a', value }))

    expect(await exploreOrders(69, async (director) => void playToys([writer, writer], director))).toEqual({
      played: 69,
      isComplete: false,
    })
  })
})

it('the comparison with all orders notices a call that hides what it writes', async () => {
  const raise: ToyHandler = [
    { op: 'read', cell: 'a' },
    { op: 'writeKnown', cell: 'a', plus: 1 },
  ]
  const hiding: Explore = (limit, play) =>
    exploreOrders(limit, (director) =>
      play({
        next: director.next,
        made: ({ by, touches }) => director.made({ by, touches: touches.map((row) => ({ ...row, writes: false })) }),
      }),
    )

  const all = await exploreToys(exploreAllOrders, [raise, raise])
  const hidden = await exploreToys(hiding, [raise, raise])

  expect(hidden.ends.size).toBeLessThan(all.ends.size)
})

it('a play that depends on more than the order is refused', async () => {
  let plays = 0
  const writer: ToyHandler = [{ op: 'write', cell: 'a', value: 1 }]
  const moody: ToyHandler = [{ op: 'write', cell: 'b', value: 1 }, ...writer]

  const exploring = exploreOrders(LIMIT, async (director) => {
    const other: ToyHandler = plays++ === 0 ? moody : [{ op: 'write', cell: 'c', value: 1 }, ...writer]
    playToys([other, [...writer, ...writer]], director)
  })

  await expect(exploring).rejects.toThrow('went another way')
})
