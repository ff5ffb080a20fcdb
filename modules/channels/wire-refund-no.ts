import { parseRefundNo, type RefundNo } from '../core/ids.ts'

const WIRE_KEY = /^(R[A-Z2-7]{25})(?:-\d{1,3})?$/

/**
 * Our refund number out of the key that a channel was sent and tells back: the number itself, or with the number of the send
 * behind it (`R…-2`).
 * @returns `undefined` for every other text: a refund that was not ours
 */
export function refundNoOfWireKey(text: string): RefundNo | undefined {
  const refundNo = WIRE_KEY.exec(text)?.[1]
  return refundNo === undefined ? undefined : parseRefundNo(refundNo)
}
