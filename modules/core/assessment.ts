/** Whether anything of the task's key may have reached its target. */
export type Sent =
  /** No attempt, or only outcomes that prove that nothing arrived. */
  | 'none'
  /** The only sends are final refusals. */
  | 'refused'
  /** Everything else: also an attempt that is open or abandoned, and a refusal after one of them. */
  | 'maybe'

/** What one witness says about the execution. */
export type Word = 'yes' | 'no' | 'silent'

export interface AssessmentInput {
  readonly sent: Sent
  readonly ledger: Word
  /** `no`: the channel denies our key, asked at least 10 min after the last send and within the key's life. */
  readonly answer: Word
  /** `no`: every bill that could hold it is complete and has it not. */
  readonly bill: Word
  /** The channel's settlement window, counted from the last send. */
  readonly window: 'open' | 'over'
  /** `conflict`: the ticket was opened because there are two stories. */
  readonly reason: 'conflict' | 'other'
}

export const assessments = ['NOT_EXECUTED', 'OBSERVING', 'EXECUTED_NO_RECEIPT', 'CONFLICT'] as const
export type Assessment = (typeof assessments)[number]

/**
 * What became of a task that no machine may finish. Total and pure; the first row that fits holds. What was sent and never denied
 * is never NOT_EXECUTED: to send it again could pay twice. Source: docs/design/tickets.md
 */
export function assess({ sent, ledger, answer, bill, window, reason }: AssessmentInput): Assessment {
  const words = [ledger, answer, bill]
  const isAffirmed = words.includes('yes')
  if (reason === 'conflict' || (isAffirmed && words.includes('no'))) return 'CONFLICT'
  const isDenied = sent === 'none' || sent === 'refused' || answer === 'no' || bill === 'no'
  if (!isAffirmed && isDenied) return 'NOT_EXECUTED'
  return window === 'open' ? 'OBSERVING' : 'EXECUTED_NO_RECEIPT'
}
