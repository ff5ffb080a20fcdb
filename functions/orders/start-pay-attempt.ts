import type { ChannelAccount } from '../../modules/channels/account.ts'
import { type OrderNo, type OutTradeNo, parseOrderNo } from '../../modules/core/ids.ts'
import type { Instant } from '../../modules/core/instant.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import { takeMoneyOfNumber } from '../../modules/ledger/order/take-early-money.ts'
import { newPayAttempt, startPayAttemptWrites } from '../../modules/ledger/pay-attempt/start-pay-attempt.ts'
import { type OrderFile, readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { Loss } from '../../modules/ledger/table/commit.ts'
import { ORPHANS_SK, orderPk } from '../../modules/ledger/table/keys.ts'
import { MAX_TRANSACTION_ITEMS } from '../../modules/ledger/table/limits.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { OrderRow } from '../../modules/ledger/table/rows.ts'
import { checkMayStart, checkMoney, findPayAttemptDifference } from './check-start.ts'
import type { OrdersDeps } from './deps.ts'
import { checkOutTradeNo, nextOutTradeNo } from './out-trade-no.ts'
import type { StartPayAttemptBody } from './schemas.ts'
import { viewPayAttempt } from './views.ts'

/**
 * Announces a try to pay before the merchant calls the channel, and says under which number. The same number with the same
 * content again is the same try.
 * @param operator who calls, for the journal
 * @throws ProblemError ORDER_NOT_FOUND, ORDER_NOT_PAYABLE, ORDER_CLOSING, OUT_TRADE_NO_TAKEN, PAY_ATTEMPT_DIFFERS,
 *   TOO_MANY_PAY_ATTEMPTS, VALIDATION_FAILED
 * Source: docs/design/states.md, payAttempt; docs/design/flows.md, Asking and closing
 */
export async function startPayAttempt(
  deps: OrdersDeps,
  orderNo: OrderNo,
  body: StartPayAttemptBody,
  operator: string,
): Promise<Answer> {
  const account = deps.channels.get(body.channel)
  if (account === undefined) throw invalidField('channel', 'names no configured channel')
  if (body.outTradeNo !== undefined) checkOutTradeNo(account, body.outTradeNo)
  const taken = new Set<string>()
  let asked: OutTradeNo | undefined
  return decideUntilCommitted(deps, async (now, losses) => {
    if (asked !== undefined && numberIsTaken(losses, orderNo)) taken.add(asked)
    const file = await readOrderFile(deps.ledger, orderNo)
    const { order } = file
    if (order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `Create the order ${orderNo} first.`)
    checkMoney(order, body)
    const existing = file.payAttempts.find((row) => row.channel === body.channel && row.outTradeNo === body.outTradeNo)
    if (existing !== undefined) {
      const different = findPayAttemptDifference(order, existing, body)
      if (different !== undefined) throw payAttemptDiffers(different)
      return { kind: 'answer', answer: { status: 200, body: viewPayAttempt(orderNo, existing) } }
    }
    checkMayStart(file, order, body, now)
    asked = chooseNumber({ file, orderNo }, body, account, taken)
    const { channel, channelRef, expiresAt = order.closeAt } = body
    const attempt = newPayAttempt(order, { channel, outTradeNo: asked, expiresAt, channelRef }, now)
    return {
      kind: 'commit',
      // What does not fit is not lost: a parked callback has its own time, an orphan its ticket.
      writes: [
        ...startPayAttemptWrites(order, attempt, operator, { ...deps, now }),
        ...(await earlyMoney(deps, order, asked, now)),
      ].slice(0, MAX_TRANSACTION_ITEMS),
      answer: {
        status: 201,
        headers: { location: `/orders/${orderNo}/pay-attempts/${encodeURIComponent(asked)}` },
        body: viewPayAttempt(orderNo, attempt),
      },
    }
  })
}

/** What came under this number before anybody announced it. An order's own number had its chance when the order came. */
async function earlyMoney(
  deps: OrdersDeps,
  order: OrderRow,
  outTradeNo: OutTradeNo,
  now: Instant,
): Promise<readonly Write[]> {
  const number = parseOrderNo(outTradeNo)
  if (number === undefined || number === order.orderNo) return []
  return takeMoneyOfNumber(order, await readOrderFile(deps.ledger, number), { ...deps, now })
}

/** The number's guard is there, or another order has it for its own name. What our order holds is found first in its file. */
function numberIsTaken(losses: readonly Loss[], orderNo: OrderNo): boolean {
  return losses.some(
    ({ arms, key }) => arms.includes('rowIsNew') && key.pk !== orderPk(orderNo) && key.sk !== ORPHANS_SK,
  )
}

function chooseNumber(
  { file, orderNo }: { readonly file: OrderFile; readonly orderNo: OrderNo },
  body: StartPayAttemptBody,
  account: ChannelAccount,
  taken: ReadonlySet<string>,
): OutTradeNo {
  if (body.outTradeNo === undefined) {
    const used = file.payAttempts.filter(({ channel }) => channel === body.channel).map((row) => row.outTradeNo)
    return nextOutTradeNo(account, orderNo, new Set([...used, ...taken]))
  }
  if (!taken.has(body.outTradeNo)) return body.outTradeNo
  throw new ProblemError('OUT_TRADE_NO_TAKEN', 'Use another outTradeNo, or leave it out to be given a free one.', {
    fields: [{ field: 'outTradeNo', problem: 'belongs to another order' }],
  })
}

function payAttemptDiffers(field: string): ProblemError {
  return new ProblemError(
    'PAY_ATTEMPT_DIFFERS',
    `The payment attempt exists with another '${field}'. Use another outTradeNo, or leave it out for a new attempt.`,
    { fields: [{ field, problem: "differs from the payment attempt's" }] },
  )
}
