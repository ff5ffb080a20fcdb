import { closeAdyen } from '../../../modules/channels/adyen/close.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { ACCOUNT, CLIENT_SECRET, type Item, KEYS, message, parse, signItem, verify } from '../adyen/signed-webhook.ts'
import { anAnswer, answering } from '../client-setup.ts'
import { type ChannelWords, statusIn, tellingOfParsed, UNDOCUMENTED, wordOfClose } from './word-of.ts'

/** Events about a payment itself; all others name theirs in `originalReference`. */
const OF_THE_PAYMENT = new Set(['AUTHORISATION', 'OFFER_CLOSED', 'EXPIRE', 'PENDING', 'REPORT_AVAILABLE'])

function itemOf(code: string, when: string) {
  return {
    eventCode: code === '*' ? UNDOCUMENTED : code,
    success: when.includes('success false') ? 'false' : 'true',
    ...(!OF_THE_PAYMENT.has(code) && { originalReference: 'PSP0000000000001', pspReference: 'PSP0000000000002' }),
    ...(when.includes('begins with test_') && { pspReference: 'test_AUTHORISATION_1' }),
    ...(when.includes('amount 0') && { amount: { value: 0, currency: 'CNY' } }),
  }
}

interface Message {
  readonly notificationItems: readonly { readonly NotificationRequestItem: Item }[]
}

function wordOfItem(item: Item, account = ACCOUNT): string {
  const verification = verify(message(signItem(item)), account)
  if (!verification.ok) return verification.probe === true ? 'probe' : 'refused'
  return tellingOfParsed(parse(item, account))
}

function answerTo(code: string, when: string): HttpResult {
  const status = statusIn(when)
  if (code === 'received') return anAnswer(status, JSON.stringify({ status: 'received', pspReference: 'PSP1' }))
  const name = code === '*' ? UNDOCUMENTED : code
  const error = /^\d+$/.test(name) ? { errorCode: name, errorType: 'validation' } : { errorType: name }
  const headers = when.includes('Transient-Error true') ? { 'transient-error': 'true' } : {}
  return anAnswer(status, JSON.stringify({ status, message: '', ...error }), headers)
}

export const adyenWords: ChannelWords = {
  sample: async (text) => {
    const { notificationItems }: Message = JSON.parse(text)
    return notificationItems.map((entry) => wordOfItem(entry.NotificationRequestItem)).join(' ')
  },
  event: async (code, when) => {
    const account = when.includes('manual capture') ? { ...ACCOUNT, capture: 'manual' as const } : ACCOUNT
    return wordOfItem(itemOf(code, when), account)
  },
  state: async () => 'not-read',
  query: async () => (clientOf(ACCOUNT).openKeys(CLIENT_SECRET).query === undefined ? 'unsupported' : 'answered'),
  close: (code, when) =>
    wordOfClose(async (ref) => {
      const channel = answering(answerTo(code, when))
      return { answer: await closeAdyen(ref, ACCOUNT, KEYS, channel), channel }
    }),
}
