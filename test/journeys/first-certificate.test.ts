import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { startApp } from '../../local/world/app.ts'
import { aStateDir, MINUTE_MS } from '../support/journey.ts'
import { allowSeconds } from '../support/patience.ts'

allowSeconds(120)

const TEN_HOURS_MS = 600 * MINUTE_MS
const paymentsSchema = z.object({
  payments: z.array(z.object({ notices: z.array(z.object({ status: z.string() })) })),
})

it('a merchant of certificates alone starts without one: it is fetched, and the first callback signed by it pays', async () => {
  const stateDir = aStateDir(onTestFinished)
  const app = await startApp({ stateDir, wechatpaySigning: 'certificate' })
  onTestFinished(() => app.stop())
  const wechatpay = app.simulators.urls['wechatpay']
  const call = async (method: string, url: string, body?: object) => {
    const headers = { authorization: `Bearer ${await app.token()}`, 'content-type': 'application/json' }
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return answer.json()
  }

  app.stack.clock.leapTo(app.clock.now() + TEN_HOURS_MS)
  await app.stack.idle()
  const money = { amount: 8800, currency: 'CNY' }
  const orderUrl = `${app.stack.url}/orders/CERT-0001`
  await call('PUT', orderUrl, { ...money, lines: [{ sku: 'BOOK', quantity: 1 }] })
  await call('POST', `${orderUrl}/payments`, { channel: 'wechatpay', outTradeNo: 'CERT-0001' })
  await call('POST', `${wechatpay}/control/pay`, { outTradeNo: 'CERT-0001', ...money })
  // A busy machine may answer too late for WeChat's 5 seconds: then it is sent again.
  await app.stack.leapBy(MINUTE_MS)

  const { payments } = paymentsSchema.parse(await call('GET', `${wechatpay}/control/payments`))
  expect(payments).toMatchObject([{ notices: [{ status: 'acked' }] }])
  expect(await call('GET', orderUrl)).toMatchObject({ order: { status: 'DELIVERED' } })
})
