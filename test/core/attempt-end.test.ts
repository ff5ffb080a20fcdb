import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidePayAttemptEnd } from '../../modules/core/decide-attempt-end.ts'
import { decideBooking } from '../../modules/core/decide-booking.ts'
import { stepOf } from '../../modules/core/machine.ts'
import { orderMachine } from '../../modules/core/order.ts'
import { payAttemptMachine } from '../../modules/core/pay-attempt.ts'
import { aFile, anOrder, aPayAttempt, aPaymentEvent, orderStatuses } from '../support/core-builders.ts'

const allStates = ['OPEN', 'PAID', 'FAILED', 'CLOSING', 'CLOSED'] as const
const otherStatuses = orderStatuses.filter((status) => status !== 'PAYING')
const kinds = ['failed', 'closed'] as const

describe('a payAttempt that its channel calls failed or closed', () => {
  it.each([
    ['failed', 'OPEN', 'fail'],
    ['closed', 'OPEN', 'confirmClosed'],
    ['closed', 'FAILED', 'confirmClosed'],
    ['closed', 'CLOSING', 'confirmClosed'],
  ] as const)('ends: %s after %s', (kind, state, event) => {
    expect(decidePayAttemptEnd(kind, state, [], 'PAYING')).toEqual({ kind: 'end', event, orderFails: true })
  })

  it.each([
    ['failed', 'PAID'],
    ['failed', 'FAILED'],
    ['failed', 'CLOSING'],
    ['failed', 'CLOSED'],
    ['closed', 'PAID'],
    ['closed', 'CLOSED'],
  ] as const)('is old news: %s after %s', (kind, state) => {
    expect(decidePayAttemptEnd(kind, state, [], 'PAYING')).toEqual({ kind: 'nothing' })
  })

  it.each(['OPEN', 'CLOSING'] as const)('does not fail an order with another payAttempt in %s', (other) => {
    const decision = decidePayAttemptEnd('failed', 'OPEN', ['FAILED', other], 'PAYING')

    expect(decision).toEqual({ kind: 'end', event: 'fail', orderFails: false })
  })

  it('fails an order whose other payAttempts are all over', () => {
    const decision = decidePayAttemptEnd('failed', 'OPEN', ['FAILED', 'CLOSED'], 'PAYING')

    expect(decision).toEqual({ kind: 'end', event: 'fail', orderFails: true })
  })

  it.each(otherStatuses.flatMap((status) => kinds.map((kind) => [kind, status] as const)))(
    'leaves the order alone: %s while the order is %s',
    (kind, status) => {
      const decision = decidePayAttemptEnd(kind, 'OPEN', [], status)

      expect(decision).toMatchObject({ kind: 'end', orderFails: false })
    },
  )

  it('takes only edges that the tables of the payAttempt and the order have', () => {
    const anyStates = fc.array(fc.constantFrom(...allStates), { maxLength: 4 })
    const anyStatus = fc.constantFrom(...orderStatuses)
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.constantFrom(...allStates),
        anyStates,
        anyStatus,
        (kind, state, others, status) => {
          const decision = decidePayAttemptEnd(kind, state, others, status)
          if (decision.kind === 'nothing') return

          expect(stepOf(payAttemptMachine, state, decision.event)).toBe(kind === 'failed' ? 'FAILED' : 'CLOSED')
          if (decision.orderFails) expect(stepOf(orderMachine, status, 'failAllPayAttempts')).toBe('PAY_FAILED')
        },
      ),
    )
  })
})

describe('a failure before or after a success', () => {
  it('does not stop the later success of the same payAttempt', () => {
    const refused = decidePayAttemptEnd('failed', 'OPEN', [], 'PAYING')
    const afterRefusal = aFile({
      order: anOrder({ status: 'PAY_FAILED' }),
      payAttempts: [aPayAttempt({ state: 'FAILED' })],
    })

    const decision = decideBooking(afterRefusal, aPaymentEvent())

    const { channel, outTradeNo } = aPayAttempt()
    expect(refused).toEqual({ kind: 'end', event: 'fail', orderFails: true })
    expect(decision).toEqual({ kind: 'apply', paid: { channel, outTradeNo }, close: [] })
  })

  it('of one payAttempt does not touch an order that another paid', () => {
    const decision = decidePayAttemptEnd('failed', 'OPEN', ['PAID'], 'PAID')

    expect(decision).toEqual({ kind: 'end', event: 'fail', orderFails: false })
  })

  it('may come twice before the payment that counts', () => {
    const first = decidePayAttemptEnd('failed', 'OPEN', [], 'PAYING')
    const second = decidePayAttemptEnd('failed', 'FAILED', [], 'PAY_FAILED')
    const paid = decideBooking(
      aFile({ order: anOrder({ status: 'PAY_FAILED' }), payAttempts: [aPayAttempt({ state: 'FAILED' })] }),
      aPaymentEvent(),
    )

    expect([first.kind, second.kind, paid.kind]).toEqual(['end', 'nothing', 'apply'])
  })
})
