import { expect, it } from 'vitest'
import { type IngressChannel, receiveCallback } from '../../functions/ingress/receive-callback.ts'
import type { CallbackRequest } from '../../modules/channels/channel.ts'
import { verifierOf } from '../../modules/channels/verifiers.ts'
import { anAnswer, NOW_MS } from '../channels/client-setup.ts'
import { NOW } from '../channels/message-setup.ts'
import { ACCOUNT, anEvent, CERTIFICATE_URL, LEAF, signEvent } from '../channels/paypal/signed-event.ts'

/** PayPal's channel as ingress binds it, in front of a PayPal that has one certificate. */
function aPaypal() {
  const fetched: string[] = []
  const verifier = verifierOf(ACCOUNT, {
    http: async ({ url }) => {
      fetched.push(url.href)
      return url.href === CERTIFICATE_URL ? anAnswer(200, LEAF.pem) : anAnswer(404, '')
    },
    nowMs: () => NOW_MS,
  })
  const check = verifier.openKeys('{}')
  const channel: IngressChannel = {
    account: ACCOUNT,
    ack: verifier.ack,
    refusal: verifier.refusal,
    verify: async (request, receivedAt) => {
      await verifier.prepare?.(request)
      return check(request, receivedAt)
    },
    verifyAfresh: async () => undefined,
  }
  const receive = async (request: CallbackRequest) =>
    (await receiveCallback(request, channel, async () => 'message-1', NOW)).status
  return { fetched, receive }
}

const real = () => signEvent(anEvent('PAYMENT.CAPTURE.COMPLETED'))

const invented = (n: number): CallbackRequest => {
  const request = real()
  return { ...request, headers: { ...request.headers, 'paypal-cert-url': `${CERTIFICATE_URL}-${n}` } }
}

it('60 callbacks with invented certificate addresses keep no real one out, before it or after it', async () => {
  const { receive } = aPaypal()
  const flood = async (from: number) => {
    const statuses: number[] = []
    for (let n = from; n < from + 30; n++) statuses.push(await receive(invented(n)))
    return new Set(statuses)
  }

  expect(await flood(0)).toEqual(new Set([400]))
  expect(await receive(real())).toBe(200)
  expect(await flood(30)).toEqual(new Set([400]))
  expect(await receive(real())).toBe(200)
})

it.each([
  ['no transmission id', 'paypal-transmission-id', undefined],
  ['a time that is none', 'paypal-transmission-time', 'yesterday'],
  ['a signature of a few characters', 'paypal-transmission-sig', 'QUJD'],
  ['two signatures', 'paypal-transmission-sig', `${real().headers['paypal-transmission-sig']},QUJD`],
  ['another algorithm', 'paypal-auth-algo', 'SHA1withRSA'],
  ['an address of another host', 'paypal-cert-url', 'https://api.paypal.com.example.invalid/v1/notifications/certs/C'],
])('a callback with %s is refused, and nothing is fetched for it', async (_what, name, value) => {
  const { fetched, receive } = aPaypal()
  const request = real()
  const { [name]: _left, ...others } = request.headers
  const headers = value === undefined ? others : { ...others, [name]: value }

  expect(await receive({ ...request, headers })).toBe(400)

  expect(fetched).toEqual([])
})
