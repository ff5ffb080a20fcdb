import type { OwnCause } from '../../core/balance.ts'
import { bizNoOf } from '../../core/biz-no.ts'
import type { ChannelId, ChannelTxnId, OrderNo, RefundNo } from '../../core/ids.ts'
import type { Money } from '../../core/money.ts'
import type { TaskContext } from '../context.ts'
import { rowIsNew } from '../table/conditions.ts'
import { refundGuard, refundSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { refundNoOf } from '../table/names.ts'
import { put } from '../table/writes.ts'
import { putTask } from '../task/put-task.ts'

/** A refund of ours before it has a row. */
export interface NewRefund {
  readonly pk: string
  readonly orderNo: OrderNo | undefined
  readonly cause: OwnCause
  readonly channel: ChannelId
  readonly channelTxnId: ChannelTxnId
  readonly money: Money
  /** Tells several of one cause and payment apart. */
  readonly key: string
}

/**
 * A refund, the guard of its number and the task that carries it out. What it takes is reserved on its payment in the same
 * transaction, by the caller. Source: docs/design/money-back.md
 */
export function putRefund(
  refund: NewRefund,
  context: TaskContext,
): { readonly refundNo: RefundNo; readonly writes: readonly Write[] } {
  const { pk, orderNo, cause, channel, channelTxnId, money, key } = refund
  const refundNo = refundNoOf({ cause, orderNo, channel, channelTxnId }, key)
  const row = { pk, sk: refundSk(refundNo), et: 'REFUND', refundNo, cause, channel, channelTxnId, ...money } as const
  const bizNo = bizNoOf('REFUND', { refundNo })
  const task = { pk, bizType: 'REFUND', bizNo, orderNo, channel, source: 'POLICY', at: context.now } as const
  return {
    refundNo,
    writes: [
      put({ ...row, state: 'CREATED', wire: 1, run: 1, createdAt: context.now }, rowIsNew),
      put({ ...refundGuard(refundNo), et: 'GUARD', orderNo, collection: pk }, rowIsNew),
      putTask({ ...task, idempotencyKey: `${refundNo}-1` }, context),
    ],
  }
}
