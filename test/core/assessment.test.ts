import { describe, expect, it } from 'vitest'
import { type Assessment, type AssessmentInput, assess, assessments } from '../../modules/core/assessment.ts'
import {
  type DecisionKind,
  decisionKinds,
  eyesFor,
  type TicketClass,
  type Witnesses,
} from '../../modules/core/decision-table.ts'

const words = ['yes', 'no', 'silent'] as const
const inputs: readonly AssessmentInput[] = (['none', 'refused', 'maybe'] as const).flatMap((sent) =>
  words.flatMap((ledger) =>
    words.flatMap((answer) =>
      words.flatMap((bill) =>
        (['open', 'over'] as const).flatMap((window) =>
          (['conflict', 'other'] as const).map((reason) => ({ sent, ledger, answer, bill, window, reason })),
        ),
      ),
    ),
  ),
)
const spoken = ({ ledger, answer, bill }: AssessmentInput) => [ledger, answer, bill]

describe('the assessment of every one of its 324 inputs', () => {
  it('falls on each word as often as counted by hand', () => {
    const counts = Object.groupBy(inputs, assess)

    expect(Object.fromEntries(assessments.map((word) => [word, counts[word]?.length]))).toEqual({
      NOT_EXECUTED: 44,
      OBSERVING: 23,
      EXECUTED_NO_RECEIPT: 23,
      CONFLICT: 234,
    })
  })

  it('never calls what was sent and not denied NOT_EXECUTED', () => {
    const open = inputs.filter(({ sent, answer, bill }) => sent === 'maybe' && answer !== 'no' && bill !== 'no')

    expect(open.filter((input) => assess(input) === 'NOT_EXECUTED')).toEqual([])
  })

  it('never calls what anybody affirms NOT_EXECUTED, and calls a yes and a no a CONFLICT', () => {
    for (const input of inputs.filter((one) => spoken(one).includes('yes'))) {
      expect(assess(input)).not.toBe('NOT_EXECUTED')
      if (spoken(input).includes('no')) expect(assess(input)).toBe('CONFLICT')
    }
  })

  it('changes with the end of the window only from OBSERVING', () => {
    for (const input of inputs.filter(({ window }) => window === 'open')) {
      const after = assess({ ...input, window: 'over' })
      expect(after).toBe(assess(input) === 'OBSERVING' ? 'EXECUTED_NO_RECEIPT' : assess(input))
    }
  })
})

const classes: readonly TicketClass[] = [
  'approval',
  'refund',
  'deliver',
  'close',
  'ask',
  'repair',
  'undone',
  'orphan',
  'disagreement',
  'unreadable',
  'reclaim',
  'notice',
]
const silent: Witnesses = { isAffirmed: false, dedupes: false }
const allowed = (ticket: TicketClass, assessment: Assessment, witnesses = silent): readonly string[] =>
  decisionKinds.flatMap((kind) => {
    const eyes = eyesFor(ticket, assessment, kind, witnesses)
    return eyes === undefined ? [] : [eyes === 'two' ? `${kind}2` : kind]
  })

describe('what may be decided', () => {
  it('never sends again what may have been executed', () => {
    const resend: readonly DecisionKind[] = ['RETRY', 'REDELIVER']
    for (const ticket of ['refund', 'deliver', 'approval'] as const) {
      for (const assessment of ['OBSERVING', 'EXECUTED_NO_RECEIPT', 'CONFLICT'] as const) {
        for (const kind of resend) expect(eyesFor(ticket, assessment, kind, silent)).toBeUndefined()
      }
    }
  })

  it('lets a delivery repeat only to a receiver that notices repeats, and only by two people', () => {
    expect(allowed('deliver', 'EXECUTED_NO_RECEIPT', { ...silent, dedupes: true })).toContain('REDELIVER2')
    expect(allowed('deliver', 'OBSERVING', { ...silent, dedupes: true })).not.toContain('REDELIVER2')
  })

  it('takes one person to confirm a refund that the channel or the bill affirms, and two without', () => {
    expect(allowed('refund', 'EXECUTED_NO_RECEIPT', { ...silent, isAffirmed: true })).toEqual([
      'CONFIRM_DONE',
      'OBSERVE_UNTIL',
    ])
    expect(allowed('refund', 'EXECUTED_NO_RECEIPT')).toEqual(['CONFIRM_DONE2', 'OBSERVE_UNTIL'])
    expect(allowed('refund', 'OBSERVING')).toEqual(['OBSERVE_UNTIL'])
    expect(allowed('refund', 'CONFLICT', { ...silent, isAffirmed: true })).toContain('CONFIRM_DONE2')
  })

  it('never books money by one person alone', () => {
    for (const ticket of classes) {
      for (const assessment of assessments) expect(allowed(ticket, assessment)).not.toContain('MARK_PAID')
    }
  })

  it('closes a refund ticket only while nothing was executed', () => {
    expect(allowed('refund', 'NOT_EXECUTED')).toEqual(['RETRY', 'CLOSE', 'OBSERVE_UNTIL'])
    for (const assessment of ['OBSERVING', 'EXECUTED_NO_RECEIPT', 'CONFLICT'] as const) {
      expect(eyesFor('refund', assessment, 'CLOSE', silent)).toBeUndefined()
    }
  })

  it('leaves nothing to decide about a disagreement that is none', () => {
    expect(allowed('disagreement', 'NOT_EXECUTED')).toEqual([])
    expect(allowed('disagreement', 'CONFLICT')).toEqual([
      'MARK_PAID2',
      'REFUND',
      'LINK_ORDER2',
      'ACCEPT_DIFFERENCE2',
      'OBSERVE_UNTIL',
    ])
  })
})
