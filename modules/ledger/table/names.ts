import { createHash } from 'node:crypto'
import type { ChannelId, ChannelTxnId, OrderNo, RefundNo, TaskNo } from '../../core/ids.ts'
import type { TaskType } from '../../core/task-policies.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * First `length` characters of the base32 (A-Z2-7) of a SHA-256 over the parts joined by `|`: `h(a|b)[n]`.
 * Names derived from a cause are the same in every process, so that a second run finds the first one's row.
 */
export function hashName(length: number, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('|')).digest()
  let name = ''
  let bits = 0
  let value = 0
  for (const byte of digest) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5 && name.length < length) {
      bits -= 5
      name += ALPHABET.charAt((value >> bits) & 31)
    }
  }
  return name
}

/** One row per thing still to be done: the number follows from what and for whom. */
export function taskNoOf(bizType: TaskType, bizNo: string): TaskNo {
  return hashName(26, bizType, bizNo) as TaskNo
}

/** What a refund is for: with its number among these, it is the same refund in every process. */
export interface RefundSubject {
  readonly cause: string
  /** Absent for money without an order. */
  readonly orderNo: OrderNo | undefined
  readonly channel: ChannelId
  readonly channelTxnId: ChannelTxnId
}

/**
 * The number of a movement of money back, derived from what it is for.
 * @param key tells several of one cause apart: 1 and on for a machine's own, the channel's id for a told one
 */
export function refundNoOf({ cause, orderNo, channel, channelTxnId }: RefundSubject, key: string): RefundNo {
  return `R${hashName(25, cause, orderNo ?? '', channel, channelTxnId, key)}` as RefundNo
}
