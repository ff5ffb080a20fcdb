import { z } from 'zod'
import { formatPaypalAmount } from '../channels/paypal/resources.ts'
import type { Simulators } from '../channels/start-simulators.ts'
import { DemoError } from './errors.ts'
import type { PlannedOrder } from './plan.ts'

const appSchema = z.object({ clientId: z.string(), clientSecret: z.string() })
const tokenSchema = z.object({ access_token: z.string() })
const orderSchema = z.object({ id: z.string() })

/**
 * What a cashier does at PayPal before the buyer can pay: makes an order there. The same number gives the same order again.
 * @returns the order's id, which is the channelRef: PayPal cannot be asked by our own number
 * @throws DemoError
 */
export async function placeAtPaypal(
  { urls, secrets }: Simulators,
  { orderNo, amount, currency }: Pick<PlannedOrder, 'orderNo' | 'amount' | 'currency'>,
): Promise<string> {
  const { clientId, clientSecret } = appSchema.parse(JSON.parse(secrets['paypal'] ?? '{}'))
  const post = async (path: string, authorization: string, body: string): Promise<unknown> => {
    const answer = await fetch(`${urls['paypal']}${path}`, {
      method: 'POST',
      headers: { authorization, 'paypal-request-id': orderNo },
      body,
    })
    if (!answer.ok) throw new DemoError(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const token = tokenSchema.parse(await post('/v1/oauth2/token', basic, 'grant_type=client_credentials'))
  const money = { currency_code: currency, value: formatPaypalAmount(amount, currency) }
  const order = { intent: 'CAPTURE', purchase_units: [{ custom_id: orderNo, amount: money }] }
  const bearer = `Bearer ${token.access_token}`
  return orderSchema.parse(await post('/v2/checkout/orders', bearer, JSON.stringify(order))).id
}
