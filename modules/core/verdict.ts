/** What became of a callback, kept with it. */
export const verdicts = [
  'received',
  'applied',
  'late',
  'surplus',
  'mismatched',
  'parked',
  'orphan',
  'duplicate',
  'conflict',
  'recorded',
  'unreadable',
] as const
export type Verdict = (typeof verdicts)[number]
