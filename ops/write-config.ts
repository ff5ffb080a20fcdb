/** Names of a channel's numbers, by kind, that the sample has in its place. */
export const askedOf = {
  stripe: [],
  alipay: ['appId', 'sellerId'],
  wechatpay: ['appId', 'mchId'],
  adyen: ['merchantAccounts', 'apiBase'],
  paypal: ['webhookId'],
  'standard-webhooks': [],
} as const

export type Kind = keyof typeof askedOf
export const kinds = Object.keys(askedOf).filter((name): name is Kind => name in askedOf)

export interface Answers {
  readonly stage: string
  readonly alarmEmail: string
  readonly deliveryUrl: string
  readonly channels: readonly Kind[]
  /** By `kind.name`, such as `alipay.appId`; what is left out stays as in the sample, which the synth refuses. */
  readonly numbers: Readonly<Record<string, string>>
}

const CHANNEL = /^ {4}\{\n[\s\S]*?^ {4}\},\n/gm

/** The sample of the settings with the answers in it, and with the chosen channels only. */
export function writeConfig(sample: string, answers: Answers): string {
  return fill(sample, 'stage', answers.stage)
    .replace(CHANNEL, (block) => channelOf(block, answers))
    .replace(/^( {2}alarmEmail: )'[^']*'/m, (_, before: string) => before + quoted(answers.alarmEmail))
    .replace(/^( {4}deliveryUrl: )'[^']*'/m, (_, before: string) => before + quoted(answers.deliveryUrl))
}

function channelOf(block: string, { channels, numbers }: Answers): string {
  const kind = channels.find((one) => block.includes(`kind: '${one}'`))
  if (kind === undefined) return ''
  return askedOf[kind].reduce((text, name) => {
    const value = numbers[`${kind}.${name}`]
    return value === undefined ? text : fill(text, name, value)
  }, block)
}

function fill(text: string, name: string, value: string): string {
  return text.replace(new RegExp(`(\\b${name}: \\[?)'[^']*'`), (_, before: string) => before + quoted(value))
}

/** As the formatter of this repository writes a text. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
