import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  balanceOf,
  type Movement,
  nothingTold,
  type RefundCause,
  type Tellings,
  tellSum,
} from '../../modules/core/balance.ts'
import type { UndoState } from '../../modules/core/channel-event.ts'
import {
  decideUndo,
  type FileMovement,
  type ToldMovement,
  takeOverAwaited,
  type UndoFile,
  type UndoNews,
} from '../../modules/core/decide-undo.ts'
import type { OrderStatus } from '../../modules/core/order.ts'
import type { PaymentRole } from '../../modules/core/payment.ts'
import type { RefundState } from '../../modules/core/refund.ts'
import { anInstant, money } from '../support/core-builders.ts'

const PAID = 10_000
const at = (minute: number) => anInstant(`2026-03-01T08:${String(minute).padStart(2, '0')}:00.000Z`)
const own = (amount: number, state: RefundState, claimed?: number): Movement => ({
  cause: 'MERCHANT',
  state,
  amount,
  ...(claimed !== undefined && { firstClaimAt: at(claimed) }),
})
const told = (movements: readonly Movement[], ...sums: readonly [sum: number, minute: number][]): Tellings =>
  sums.reduce((tellings, [sum, minute]) => tellSum(tellings, movements, sum, at(minute)), nothingTold)

describe('the balance of a payment of 10000', () => {
  it('counts a console refund of 2000 and then ours of 3000 as 5000', () => {
    const tellings = told([], [2000, 1])

    expect(balanceOf(PAID, [own(3000, 'DONE', 2)], tellings)).toMatchObject({ gone: 5000, free: 5000 })
  })

  it('counts 2000 told, and ours of 3000 and 2000 that were asked at 2000, as 7000', () => {
    const tellings = told([], [2000, 1])

    expect(balanceOf(PAID, [own(3000, 'DONE', 2), own(2000, 'DONE', 3)], tellings)).toMatchObject({
      gone: 7000,
      free: 3000,
    })
  })

  it('has no overdraft when our full refund in flight is told as a sum before its own answer', () => {
    const inFlight = [own(PAID, 'UNKNOWN', 1)]
    const tellings = told(inFlight, [PAID, 2])

    expect(balanceOf(PAID, [own(PAID, 'DONE', 1)], tellings)).toMatchObject({ gone: PAID, free: 0 })
  })

  it('counts a sum of 4000 and the same money as one movement once', () => {
    const tellings = told([], [4000, 1])
    const same: Movement = { cause: 'EXTERNAL', state: 'DONE', amount: 4000 }

    expect(balanceOf(PAID, [same], tellings)).toMatchObject({ gone: 4000, free: 6000 })
  })

  it('adds a dispute to what was refunded: both may take the same money', () => {
    const both: readonly Movement[] = [
      { cause: 'EXTERNAL', state: 'DONE', amount: PAID },
      { cause: 'DISPUTE', state: 'DONE', amount: PAID },
    ]

    expect(balanceOf(PAID, both, nothingTold)).toMatchObject({ gone: 2 * PAID, free: -PAID })
  })

  it('keeps what is promised or under way out of reach, whatever its cause', () => {
    const movements: readonly Movement[] = [
      own(1000, 'CREATED'),
      own(2000, 'UNKNOWN', 1),
      { cause: 'DISPUTE', state: 'SUBMITTED', amount: 3000 },
      own(4000, 'REFUSED', 1),
      own(500, 'CANCELLED'),
    ]

    expect(balanceOf(PAID, movements, nothingTold)).toMatchObject({ reserved: 6000, gone: 0, free: 4000 })
  })

  it('is never more free than what is not certainly away, whatever was told in whatever order', () => {
    const movement = fc.record({
      cause: fc.constantFrom<RefundCause>('LATE', 'MERCHANT', 'EXTERNAL', 'DISPUTE'),
      state: fc.constantFrom<RefundState>(
        'CREATED',
        'UNKNOWN',
        'SUBMITTED',
        'DONE',
        'REFUSED',
        'REVERSED',
        'CANCELLED',
      ),
      amount: fc.integer({ min: 0, max: PAID }),
      firstClaimAt: fc.constantFrom(at(1), at(3), at(5)),
    })
    const sum = fc.tuple(fc.integer({ min: 0, max: PAID }), fc.integer({ min: 0, max: 6 }))

    fc.assert(
      fc.property(
        fc.array(movement, { maxLength: 4 }),
        fc.array(sum, { maxLength: 3 }),
        fc.boolean(),
        (movements, sums, allBack) => {
          const tellings = { ...told(movements, ...sums), allBack }
          const { gone, reserved, free } = balanceOf(PAID, movements, tellings)
          expect(free).toBeLessThanOrEqual(PAID - gone - reserved)
          expect(tellings.told).toBe(Math.max(0, ...sums.map(([one]) => one)))
          expect({ ...told(movements, ...sums.toReversed()), allBack }).toEqual(tellings)
        },
      ),
    )
  })
})

type Fact = 'pay' | UndoNews
const sumOf = (amount: number): UndoNews => ({ cause: 'EXTERNAL', form: 'sum', state: 'done', money: money(amount) })
const all: UndoNews = { cause: 'EXTERNAL', form: 'all', state: 'done' }
const one = (id: string, amount: number, state: UndoState, minute: number): UndoNews => ({
  cause: id.startsWith('dp') ? 'DISPUTE' : 'EXTERNAL',
  form: 'one',
  state,
  id,
  money: money(amount),
  at: at(minute),
})

interface World {
  readonly role: PaymentRole
  readonly status: OrderStatus
  readonly tellings: Tellings
  readonly movements: readonly FileMovement[]
  readonly amountUnknown: boolean
  readonly frozen: boolean
  readonly tickets: ReadonlySet<string>
}

const start = (status: OrderStatus): World => ({
  role: 'AWAITED',
  status,
  tellings: nothingTold,
  movements: [],
  amountUnknown: false,
  frozen: false,
  tickets: new Set(),
})

/** What the ledger does with the decision, as plain data. */
function hear(world: World, fact: Fact): World {
  if (fact === 'pay') return pay(world)
  const decision = decideUndo(fileOf(world), fact, at(9))
  if (decision.kind === 'nothing') return world
  const { row } = decision
  const movements = row === undefined ? world.movements : withRow(world.movements, row)
  return {
    ...world,
    tellings: decision.tellings,
    amountUnknown: decision.amountUnknown,
    movements,
    frozen: world.frozen || decision.freeze,
    tickets: new Set([...world.tickets, ...decision.tickets]),
  }
}

function pay(world: World): World {
  if (world.role !== 'AWAITED') return world
  const role = world.status === 'CLOSED' ? 'LATE' : 'APPLIED'
  const status = role === 'APPLIED' ? 'PAID' : 'CLOSED'
  if (world.tickets.size === 0) return { ...world, role, status }
  const { freeze, tickets } = takeOverAwaited(role, { ...fileOf(world).payment, paid: PAID })
  return { ...world, role, status, frozen: freeze, tickets: new Set(tickets) }
}

const fileOf = (world: World): UndoFile => ({
  payment: {
    role: world.role,
    paid: world.role === 'AWAITED' ? 0 : PAID,
    tellings: world.tellings,
    movements: world.movements,
    amountUnknown: world.amountUnknown,
  },
  order: { status: world.status, undelivered: world.status === 'PAID' ? 1 : 0 },
})

function withRow(movements: readonly FileMovement[], row: ToldMovement): readonly FileMovement[] {
  const others = movements.filter(({ id, cause }) => id !== row.id || cause !== row.cause)
  return [...others, { ...row, refundNo: `R-${row.id}` }]
}

function* permutationsOf<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items
  else
    for (const [index, first] of items.entries())
      for (const rest of permutationsOf(items.toSpliced(index, 1))) yield [first, ...rest]
}

/** Every order of arrival, and every fact of it doubled. */
function* arrivalsOf(facts: readonly Fact[]): Generator<readonly Fact[]> {
  for (const order of permutationsOf(facts)) {
    yield order
    for (const again of order) yield [...order, again]
  }
}

const sets: Readonly<Record<string, readonly Fact[]>> = {
  'a full refund told as a sum': ['pay', sumOf(10_000)],
  'a part, then more': ['pay', sumOf(3000), sumOf(5000)],
  'a cancel': ['pay', all],
  'one refund told as a movement and as a sum': ['pay', one('re_1', 4000, 'done', 1), sumOf(4000)],
  'two refunds and their sums': [
    'pay',
    one('re_1', 4000, 'done', 1),
    one('re_2', 1000, 'done', 2),
    sumOf(4000),
    sumOf(5000),
  ],
  'a refund that came back': [
    'pay',
    one('re_1', 4000, 'pending', 1),
    one('re_1', 4000, 'done', 2),
    one('re_1', 4000, 'reversed', 3),
  ],
  'a refund that failed after it was done': ['pay', one('re_1', 4000, 'done', 2), one('re_1', 4000, 'failed', 3)],
  'a dispute that was won': [
    'pay',
    one('dp_1', 10_000, 'pending', 1),
    one('dp_1', 10_000, 'done', 2),
    one('dp_1', 10_000, 'reversed', 3),
  ],
  'a part refund and a dispute of the rest': ['pay', sumOf(4000), one('dp_1', 6000, 'done', 2)],
  'a refund and a dispute of the same money': ['pay', one('re_1', 10_000, 'done', 1), one('dp_1', 10_000, 'done', 2)],
  'money back of an unknown amount': ['pay', { cause: 'EXTERNAL', form: 'amountUnknown', state: 'done' }],
}

const endOf = (world: World) => ({
  role: world.role,
  status: world.status,
  frozen: world.frozen,
  tellings: world.tellings,
  movements: world.movements.map(({ id, state, amount }) => `${id} ${state} ${amount}`).toSorted(),
  tickets: [...world.tickets].toSorted(),
  gone: balanceOf(PAID, world.movements, world.tellings).gone,
})

describe.each(Object.entries(sets))('%s', (_name, facts) => {
  it.each<OrderStatus>(['PAYING', 'CLOSED'])(
    'comes to one end in every order of arrival, for an order in %s',
    (status) => {
      const ends = new Set(
        [...arrivalsOf(facts)].map((arrival) => JSON.stringify(endOf(arrival.reduce(hear, start(status))))),
      )

      expect([...ends]).toHaveLength(1)
    },
  )

  it('lets no goods out after it was heard', () => {
    for (const order of permutationsOf(facts)) {
      let world = start('PAYING')
      for (const fact of order) {
        world = hear(world, fact)
        const mayDeliver = world.status === 'PAID' && !world.frozen
        expect(mayDeliver && world.tickets.size > 0).toBe(false)
      }
    }
  })
})

describe('a refund of ours that is ready when money turns out to be gone', () => {
  const ready: FileMovement = { cause: 'LATE', state: 'CREATED', amount: PAID, refundNo: 'R1' }
  const late = (
    movements: readonly FileMovement[],
    status: OrderStatus = 'CLOSED',
    role: PaymentRole = 'LATE',
  ): UndoFile => ({
    payment: { role, paid: PAID, tellings: nothingTold, movements, amountUnknown: false },
    order: { status, undelivered: 0 },
  })

  it('is replaced by one over the rest', () => {
    expect(decideUndo(late([ready]), sumOf(3000), at(9))).toMatchObject({
      own: [{ do: 'cancel', refundNo: 'R1', cause: 'LATE', rest: 7000 }],
      balance: { free: 0, reserved: 7000, gone: 3000 },
      tickets: [],
      freeze: false,
    })
  })

  it('is cancelled without another when all of it is back', () => {
    expect(decideUndo(late([ready]), all, at(9))).toMatchObject({
      own: [{ do: 'cancel', refundNo: 'R1', rest: 0 }],
      balance: { free: 0, reserved: 0, gone: PAID },
      tickets: [],
    })
  })

  it('is never replaced when a merchant or a person asked for it: they saw another balance', () => {
    const asked = { ...ready, cause: 'MERCHANT' } as const

    expect(decideUndo(late([asked]), sumOf(3000), at(9))).toMatchObject({ own: [{ do: 'cancel', rest: 0 }] })
  })

  it('stays when enough is left', () => {
    const part = { ...ready, amount: 2000 }

    expect(decideUndo(late([part]), sumOf(3000), at(9))).toMatchObject({ own: [{ do: 'wake', refundNo: 'R1' }] })
  })

  it.each<RefundState>(['UNKNOWN', 'SUBMITTED'])(
    'is asked about and never cancelled in %s, and a person sees the overdraft',
    (state) => {
      const sent = { ...ready, state, firstClaimAt: at(20) }

      expect(decideUndo(late([sent]), sumOf(3000), at(9))).toMatchObject({
        own: [{ do: 'wake', refundNo: 'R1' }],
        tickets: ['undone'],
      })
    },
  )

  it('keeps its order frozen and is not sent when nobody knows how much went back', () => {
    const news: UndoNews = { cause: 'EXTERNAL', form: 'amountUnknown', state: 'done' }

    expect(decideUndo(late([ready]), news, at(9))).toMatchObject({
      freeze: true,
      tickets: ['undone'],
      own: [{ do: 'wake' }],
    })
  })

  it('explains a sum of its own size in REFUNDING: no ticket', () => {
    const full: FileMovement = { ...ready, cause: 'MERCHANT', state: 'UNKNOWN', firstClaimAt: at(1) }

    expect(decideUndo(late([full], 'REFUNDING', 'APPLIED'), sumOf(PAID), at(9))).toMatchObject({
      tickets: [],
      freeze: false,
    })
  })
})
