/** What a merchant can be told of by a signed webhook, beside the deliveries. Source: docs/design/task-types.md. */
export const noticeTypes = [
  'order.paid',
  'order.delivered',
  'order.closed',
  'payment.applied',
  'payment.late',
  'payment.surplus',
  'payment.mismatched',
  'payment.orphan',
  'refund.created',
] as const

export type NoticeType = (typeof noticeTypes)[number]

/**
 * The gate that notices pass, beside that of deliveries on the same lane: an endpoint that does not take a notice must not hold
 * back goods that were paid for.
 */
export const NOTICES_GATE = 'notices'

/** One thing to tell, before it has a number. */
export interface Notice {
  readonly type: NoticeType
  /** Plain facts, no personal detail: they stand in the task's row and in every repeat of the notice. */
  readonly data: Readonly<Record<string, string | number | undefined>>
}

/** Reads a list of types, separated by commas. @throws RangeError on one that is not known: a setting of a newer release */
export function parseNoticeTypes(text: string): ReadonlySet<NoticeType> {
  const named = text.split(',').filter((name) => name !== '')
  return new Set(
    named.map((name) => {
      const type = noticeTypes.find((known) => known === name)
      if (type === undefined)
        throw new RangeError(`'${name}' is no type of notice; there are ${noticeTypes.join(', ')}.`)
      return type
    }),
  )
}
