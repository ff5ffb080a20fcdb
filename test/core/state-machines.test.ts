import { describe, expect, it } from 'vitest'
import { type Machine, statesBefore, stepOf } from '../../modules/core/machine.ts'
import { isPayable, orderMachine } from '../../modules/core/order.ts'
import { isOpen, payAttemptMachine } from '../../modules/core/pay-attempt.ts'
import { refundMachine } from '../../modules/core/refund.ts'
import { lineMachine } from '../../modules/core/stock-line.ts'
import { isEnded, taskMachine } from '../../modules/core/task.ts'
import { orderStatuses, payableStatuses } from '../support/core-builders.ts'

interface Edge<State> {
  readonly from: State
  readonly event: string
  readonly to: State
}

function edgesOf<State extends string, Event extends string>(machine: Machine<State, Event>): Edge<string>[] {
  return Object.entries<{ readonly [On in Event]?: State }>(machine.edges).flatMap(([from, on]) =>
    Object.entries<string>(on as Record<string, string>).map(([event, to]) => ({ from, event, to })),
  )
}

function reachedFrom(edges: readonly Edge<string>[], starts: readonly string[]): Set<string> {
  const seen = new Set(starts)
  for (const state of seen) for (const edge of edges) if (edge.from === state) seen.add(edge.to)
  return seen
}

/** @param design one edge a line, `FROM event TO`, written down from docs/design/states.md and not from the code */
function describeMachine<State extends string, Event extends string>(machine: Machine<State, Event>, design: string) {
  const edges = edgesOf(machine)
  const states = Object.keys(machine.edges)
  const final: readonly string[] = machine.final

  describe(`the machine of a ${machine.name}`, () => {
    it('has exactly the documented edges', () => {
      const drawn = edges.map(({ from, event, to }) => `${from} ${event} ${to}`)

      const wanted = design.trim().split(/\s*\n\s*/)
      expect(drawn.toSorted()).toEqual(wanted.toSorted())
    })

    it('reaches every state from its initial ones', () => {
      const reached = reachedFrom(edges, machine.initial)

      expect([...reached].toSorted()).toEqual(states.toSorted())
    })

    it('has no edge out of a final state and one out of every other', () => {
      const left = new Set(edges.map(({ from }) => from))

      expect([...left].toSorted()).toEqual(states.filter((state) => !final.includes(state)).toSorted())
    })

    it('can still come to an end from every state', () => {
      // A refund has no state that later evidence could not correct; money that is back with the buyer is its end.
      const ends = final.length > 0 ? final : ['DONE']
      const stuck = states.filter((state) => !ends.some((end) => reachedFrom(edges, [state]).has(end)))

      expect(stuck).toEqual([])
    })
  })
}

describeMachine(
  orderMachine,
  `WAIT_PAY startAttempt PAYING
   WAIT_PAY pay PAID
   WAIT_PAY close CLOSED
   PAYING failAllPayAttempts PAY_FAILED
   PAYING pay PAID
   PAYING close CLOSED
   PAY_FAILED startAttempt PAYING
   PAY_FAILED pay PAID
   PAY_FAILED close CLOSED
   PAID deliver DELIVERED
   PAID startRefund REFUNDING
   PAID undo REFUNDED
   DELIVERED complete COMPLETED
   DELIVERED startRefund REFUNDING
   DELIVERED undo REFUNDED
   COMPLETED startRefund REFUNDING
   COMPLETED undo REFUNDED
   REFUNDING refundAll REFUNDED
   REFUNDING returnToPaid PAID
   REFUNDING returnToDelivered DELIVERED
   REFUNDING returnToCompleted COMPLETED`,
)

describeMachine(
  payAttemptMachine,
  `OPEN pay PAID
   OPEN fail FAILED
   OPEN startClose CLOSING
   OPEN confirmClosed CLOSED
   FAILED pay PAID
   FAILED confirmClosed CLOSED
   CLOSING pay PAID
   CLOSING confirmClosed CLOSED
   CLOSED pay PAID`,
)

describeMachine(
  refundMachine,
  `CREATED send UNKNOWN
   CREATED cancel CANCELLED
   CREATED finish DONE
   UNKNOWN notSent CREATED
   UNKNOWN accept SUBMITTED
   UNKNOWN finish DONE
   UNKNOWN refuse REFUSED
   SUBMITTED finish DONE
   SUBMITTED refuse REFUSED
   SUBMITTED loseSight UNKNOWN
   SUBMITTED reverse REVERSED
   REFUSED again CREATED
   REFUSED cancel CANCELLED
   REFUSED finish DONE
   REFUSED reverse REVERSED
   DONE reverse REVERSED
   REVERSED finish DONE
   CANCELLED finish DONE`,
)

describeMachine(
  lineMachine,
  `RESERVED sell SOLD
   RESERVED release RELEASED
   SOLD drop DROPPED
   DROPPED restock RESTOCKED
   SOLD restock RESTOCKED`,
)

describeMachine(
  taskMachine,
  `WAITING claim PROCESSING
   WAITING endDone SUCCESS
   WAITING endMoot CLOSED
   WAITING escalate MANUAL
   RETRY claim PROCESSING
   RETRY endDone SUCCESS
   RETRY endMoot CLOSED
   RETRY escalate MANUAL
   PROCESSING succeed SUCCESS
   PROCESSING retry RETRY
   PROCESSING fail MANUAL
   PROCESSING escalate MANUAL
   PROCESSING abandon WAITING
     PROCESSING giveUp CLOSED
   MANUAL reopen WAITING
   MANUAL endDone SUCCESS
   MANUAL endMoot CLOSED`,
)

describe('a machine', () => {
  it('steps along an edge of its table and nowhere else', () => {
    expect(stepOf(orderMachine, 'PAYING', 'pay')).toBe('PAID')
    expect(stepOf(orderMachine, 'CLOSED', 'pay')).toBeUndefined()
  })

  it('names the states that a conditional write may find before an event', () => {
    expect(statesBefore(orderMachine, 'pay')).toEqual(['WAIT_PAY', 'PAYING', 'PAY_FAILED'])
    expect(statesBefore(taskMachine, 'claim')).toEqual(['WAITING', 'RETRY'])
  })
})

describe('what a state means', () => {
  it('lets an order take money as its own before it is paid or closed', () => {
    expect(orderStatuses.filter(isPayable)).toEqual(payableStatuses)
  })

  it('lets the buyer pay a payAttempt until its closing is confirmed', () => {
    expect((['OPEN', 'CLOSING', 'FAILED', 'PAID', 'CLOSED'] as const).filter(isOpen)).toEqual(['OPEN', 'CLOSING'])
  })

  it('does not call a task ended that waits for a person', () => {
    const statuses = ['WAITING', 'PROCESSING', 'RETRY', 'MANUAL', 'SUCCESS', 'CLOSED'] as const

    expect(statuses.filter(isEnded)).toEqual(['SUCCESS', 'CLOSED'])
  })
})
