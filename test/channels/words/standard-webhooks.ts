import { clientOf } from '../../../modules/channels/clients.ts'
import { ACCOUNT, aMessage, DATA, parse, SECRET } from '../standard-webhooks/signed-webhook.ts'
import { type ChannelWords, tellingOfParsed } from './word-of.ts'

const client = clientOf(ACCOUNT).openKeys(JSON.stringify({ secrets: [SECRET] }))
const LISTS: Readonly<Record<string, readonly string[] | undefined>> = ACCOUNT.mapping.types

/** `types.payment` is the first type that the mapping lists there. */
function typeOf(code: string): string {
  return LISTS[code.replace('types.', '')]?.[0] ?? 'contact.created'
}

function dataOf(code: string, when: string): object {
  if (when === 'amount 0') return { ...DATA, amount: 0 }
  const hasMoney = !/^types\.(failed|closed)$/.test(code) || when === 'with a transaction'
  return hasMoney ? DATA : { order_no: DATA.order_no }
}

export const standardWebhooksWords: ChannelWords = {
  sample: async (text) => tellingOfParsed(parse(text)),
  event: async (code, when) => tellingOfParsed(parse(aMessage(typeOf(code), dataOf(code, when)))),
  state: async () => (client.query === undefined ? 'unsupported' : 'answered'),
  query: async () => (client.query === undefined ? 'unsupported' : 'answered'),
  close: async () => (client.close === undefined ? 'unsupported' : 'closed'),
}
