import { expect, it } from 'vitest'
import { bookEvent } from '../../modules/booking/book-event.ts'
import { noticeTypes } from '../../modules/core/notice.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { callbackKey, recordCallback } from '../../modules/ledger/callback/record-callback.ts'
import { locateOrder } from '../../modules/ledger/read/locate-order.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { MAX_LINES, MAX_OPEN_PAY_ATTEMPTS } from '../../modules/ledger/table/limits.ts'
import { aChannel, anOutTradeNo, aPaymentEvent, aTxn } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshOrderNo, anOrderBody, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

// One transaction holds 100 items: an order that is taken must also be payable.
it('the largest order that is accepted is booked by one payment', async () => {
  const api = openOrdersApi(ledger)
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody({ lines: Array(MAX_LINES).fill({ sku: 'CARD', quantity: 1 }) }))
  for (let count = 0; count < MAX_OPEN_PAY_ATTEMPTS; count++) await api.pay(orderNo, { channel: 'alipay' })
  // Paid under a number of its own, so that every attempt must be closed.
  const event = aPaymentEvent({
    channel: aChannel('stripe'),
    outTradeNo: anOutTradeNo(orderNo),
    channelTxnId: aTxn(orderNo),
  })
  const { channel, eventId } = event
  const record = { channel, eventId, receivedAt: NOW, keyId: 'k', headers: {}, bodySha256: 'ab'.repeat(32) }
  const location = await locateOrder(ledger, event)
  await recordCallback(ledger, location.pk, { ...record, raw: { gzip: new Uint8Array([1]) } }, NOW)

  const result = await bookEvent(
    { ledger, policies: bindPolicies({}), notices: new Set(noticeTypes), canAskBack: () => false, now: () => NOW },
    { location, event, evidence: callbackKey(location.pk, record), operatorType: 'CALLBACK' },
  )

  expect(result).toEqual({ kind: 'booked', verdict: 'applied' })
  const file = await readOrderFile(ledger, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(file.tasks.filter(({ bizType }) => bizType === 'DELIVER')).toHaveLength(MAX_LINES)
  expect(file.tasks.filter(({ bizType }) => bizType === 'CLOSE_ATTEMPT')).toHaveLength(MAX_OPEN_PAY_ATTEMPTS)
})
