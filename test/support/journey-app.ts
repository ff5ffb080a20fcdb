import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { type LocalApp, startApp } from '../../local/world/app.ts'
import { aStateDir, type Journey, MINUTE_MS, openApi } from './journey.ts'
import { allowSeconds } from './patience.ts'

const paymentsSchema = z.object({
  payments: z.array(
    z.object({
      outTradeNo: z.string(),
      channelTxnId: z.string().optional(),
      status: z.string(),
      notices: z.array(z.object({ status: z.string(), attempts: z.number(), lastAnswer: z.string().optional() })),
    }),
  ),
})
export type ChannelPayment = z.infer<typeof paymentsSchema>['payments'][number]

/** A journey whose notices and answers come from the channels' simulators. */
export interface AppJourney extends Pick<Journey, 'putOrder' | 'startPayAttempt' | 'file' | 'minutes'> {
  readonly app: LocalApp
  /** What the buyer, the network or the channel itself does, with all that follows from it now. @returns the status of the answer */
  act(channel: string, action: 'pay' | 'fail' | 'close-by-channel', input: object): Promise<number>
  /** The one payment that the channel has under a number. */
  paymentAt(channel: string, outTradeNo: string): Promise<ChannelPayment>
  /** How often the merchant took a delivery of the order. */
  deliveries(orderNo: string): number
}

/** Starts the whole local app, for all tests of a file: called at its top, stopped after its last test. */
export async function openAppJourney(): Promise<AppJourney> {
  allowSeconds(120)
  const app = await startApp({ stateDir: aStateDir(afterAll) })
  afterAll(() => app.stop())
  const { putOrder, startPayAttempt, file } = openApi(app.stack.url, await app.token())
  const control = (channel: string, path: string, init?: RequestInit) =>
    fetch(`${app.simulators.urls[channel]}/control/${path}`, init)
  return {
    app,
    putOrder,
    startPayAttempt,
    file,
    minutes: (count) => app.stack.leapBy(count * MINUTE_MS),
    act: async (channel, action, input) => {
      const { status } = await control(channel, action, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      await app.stack.idle()
      return status
    },
    paymentAt: async (channel, outTradeNo) => {
      const { payments } = paymentsSchema.parse(await (await control(channel, 'payments')).json())
      const own = payments.filter((payment) => payment.outTradeNo === outTradeNo)
      expect(own).toHaveLength(1)
      return own[0] ?? expect.unreachable()
    },
    deliveries: (orderNo) => app.merchant.deliveries().filter((taken) => taken.orderNo === orderNo).length,
  }
}
