import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiUrl, isPathPart } from '../../modules/channels/api-url.ts'
import { clientOf } from '../../modules/channels/clients.ts'
import { ACCOUNT as ADYEN, CLIENT_SECRET as ADYEN_SECRET } from './adyen/signed-webhook.ts'
import { ACCOUNT as ALIPAY, CLIENT_SECRET as ALIPAY_SECRET } from './alipay/signed-answer.ts'
import { answering, aRef, OVER } from './client-setup.ts'
import { ACCOUNT as PAYPAL } from './paypal/signed-event.ts'
import { ACCOUNT as STRIPE, CLIENT_SECRET as STRIPE_SECRET } from './stripe/api-answers.ts'
import { CLIENT_SECRET as WECHATPAY_SECRET } from './wechatpay/signed-answer.ts'
import { ACCOUNT as WECHATPAY } from './wechatpay/signed-notice.ts'

const CLIENTS = [
  [STRIPE, STRIPE_SECRET],
  [ALIPAY, ALIPAY_SECRET],
  [WECHATPAY, WECHATPAY_SECRET],
  [ADYEN, ADYEN_SECRET],
  [PAYPAL, JSON.stringify({ clientId: 'app', clientSecret: 'app-secret' })],
] as const

describe.each(['.', '..', '', '\ud800'])('the reference %j', (channelRef) => {
  it.each(CLIENTS)('has nothing sent to $kind', async (account, secret) => {
    const channel = answering()
    const { query, close } = clientOf(account, channel).openKeys(secret)

    for (const call of [query, close].filter((able) => able !== undefined)) {
      for (const ref of [aRef({ channelRef }), { ...OVER, channelRef }]) {
        expect(await call(ref)).toMatchObject({
          outcome: { kind: 'misconfigured', suspect: 'request', code: 'CHANNEL_REF_UNUSABLE' },
          state: 'unknown',
        })
      }
    }
    expect(channel.sent).toEqual([])
  })
})

describe('an address stays where it was meant to be', () => {
  it('whatever printable text is a part of it', () => {
    const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
    const steps = fc.constantFrom('.', '..', '%2e', '%2E%2e', '../x', '..\\x', '/', '?a', '#a', '...', 'pi_1/../..')
    fc.assert(
      fc.property(fc.oneof(printable, steps), (text) => {
        if (!isPathPart(text)) {
          expect(['', '.', '..']).toContain(text)
          return
        }
        const { origin, pathname, search, hash } = apiUrl('https://a.test/base/', `/v1/${encodeURIComponent(text)}/end`)
        const parts = pathname.split('/').map(decodeURIComponent)
        expect({ origin, parts, search, hash }).toEqual({
          origin: 'https://a.test',
          parts: ['', 'base', 'v1', text, 'end'],
          search: '',
          hash: '',
        })
      }),
    )
  })

  it.each(['/v1/../x', '/v1/./x', '/v1/%2e%2e/x', '/v1/.%2E', '/..'])('%s is refused', (path) => {
    expect(() => apiUrl('https://a.test/base', path)).toThrow(RangeError)
  })

  it('parameters are no part of the path', () => {
    expect(apiUrl('https://a.test', '/v1/x?to=../y&a=b').href).toBe('https://a.test/v1/x?to=../y&a=b')
  })
})
