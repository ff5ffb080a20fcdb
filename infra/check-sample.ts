import type { StageConfig } from './config-schema.ts'

/** Names that nobody owns. Source: RFC 2606, Reserved Top Level DNS Names */
const RESERVED_HOST = /(^|[@/.])example\.(com|net|org)\b|\.(example|invalid|test)(?=[:/]|$)/i
/** Numbers of the sample and of the simulators: a real account has no such run of noughts. */
const SAMPLE_NUMBER = /0{7}|00010001$/
const SAMPLE_WORDS = new Set(['YourMerchantAccount', 'BackstopLocal', 'YourWebhookId', '8PT597110X687430LKGECATA'])
const NAMES_OF_AN_ACCOUNT = ['appId', 'sellerId', 'mchId', 'merchantId', 'webhookId', 'merchantAccounts', 'account']

/**
 * What still stands as in `examples/backstop.config.ts`: it would be deployed and settle nobody's payments.
 * @returns one sentence per setting
 */
export function checkSample({ channels, ...others }: StageConfig): string[] {
  const accounts = channels.flatMap(({ account }) =>
    Object.entries(account)
      .filter(([name]) => NAMES_OF_AN_ACCOUNT.includes(name))
      .flatMap(([name, value]) => textsIn(value, `channels (${account.id}).${name}`))
      .filter(([, text]) => SAMPLE_NUMBER.test(text) || SAMPLE_WORDS.has(text)),
  )
  const addresses = [...textsIn(others, ''), ...channels.flatMap((one) => textsIn(one, `channels (${one.account.id})`))]
  return [...accounts, ...addresses.filter(([, text]) => RESERVED_HOST.test(text))].map(
    ([place, text]) => `${place}: "${text}" is the sample's; put your own there.`,
  )
}

/** Every text in a value, each with its place. */
function textsIn(value: unknown, place: string): readonly (readonly [place: string, text: string])[] {
  if (typeof value === 'string') return [[place, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, place === '' ? name : `${place}.${name}`))
}
