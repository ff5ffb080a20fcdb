import { z } from 'zod'
import { parseChannelId, parseOrderNo, parseOutTradeNo, parseSku } from '../../modules/core/ids.ts'
import { parseInstant } from '../../modules/core/instant.ts'
import { parseCurrency, parseMinorUnits } from '../../modules/core/money.ts'
import { MAX_LINES } from '../../modules/ledger/table/limits.ts'

/** The words of a refusal: a field that is not there at all is told apart from one that is wrong. */
export const says = (rule: string) => ({
  error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? 'is missing' : rule),
})

/** Text that one of the core's parsers reads. */
export const textBy = <T>(parse: (text: string) => T | undefined, rule: string) =>
  z.string(says(rule)).transform((text, context): T => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: rule })
    return z.NEVER
  })

export const orderNo = textBy(parseOrderNo, 'must be 6 to 32 letters, digits, _ or -').meta({
  id: 'OrderNo',
  description: "The merchant's number of the order.",
  pattern: '^[0-9A-Za-z_-]{6,32}$',
  examples: ['SO-20260301-0001'],
})

export const channel = textBy(parseChannelId, 'must be the id of a configured channel').meta({
  id: 'Channel',
  description: 'Id of a configured channel account.',
  pattern: '^[a-z][a-z0-9-]{1,23}$',
  examples: ['alipay'],
})

export const outTradeNo = textBy(parseOutTradeNo, 'must be 1 to 80 letters, digits or any of _-*|@.:').meta({
  id: 'OutTradeNo',
  description:
    'The number of one try to pay, unique per channel. Alipay takes 1 to 64 of [0-9A-Za-z_], WeChat Pay 6 to 32 of [0-9A-Za-z_-*|].',
  pattern: '^[0-9A-Za-z_\\-*|@.:]{1,80}$',
  examples: ['SO-20260301-0001_2'],
})

export const sku = textBy(parseSku, 'must be 1 to 64 letters, digits or any of _.-').meta({
  id: 'Sku',
  description: "The merchant's number of an article.",
  pattern: '^[0-9A-Za-z_.-]{1,64}$',
  examples: ['GAME-CARD-50'],
})

const amountRule = 'must be a whole number of minor units from 1 to 9007199254740991, as a JSON number'
export const amount = z
  .int(says(amountRule))
  .min(1, amountRule)
  .transform((value, context) => {
    const minorUnits = parseMinorUnits(value)
    if (minorUnits !== undefined) return minorUnits
    context.addIssue({ code: 'custom', message: amountRule })
    return z.NEVER
  })
  .meta({
    id: 'Amount',
    description: "An amount in the currency's smallest unit: 8800 CNY is 88.00 yuan.",
    examples: [8800],
  })

export const currency = textBy(parseCurrency, 'must be an ISO 4217 code in capitals').meta({
  id: 'Currency',
  description: 'ISO 4217 code.',
  pattern: '^[A-Z]{3}$',
  examples: ['CNY'],
})

export const instant = textBy(parseInstant, 'must be an ISO 8601 time with a zone').meta({
  id: 'Instant',
  description: 'A moment as ISO 8601 with a zone; answered in UTC with milliseconds.',
  format: 'date-time',
  examples: ['2026-03-01T08:15:00.000Z'],
})

const refRule = 'must be 1 to 256 printable ASCII characters without spaces, and not . or ..'
export const channelRef = z
  .string(says(refRule))
  .regex(/^(?!\.{1,2}$)[!-~]{1,256}$/, refRule)
  .meta({
    id: 'ChannelRef',
    description: "The channel's own number of the try: Stripe's pi_…, a prepay id.",
    examples: ['pi_3MtwBwLkdIwHu7ix28a3tqPa'],
  })

const MAX_QUANTITY = 1000
const quantityRule = `must be a whole number from 1 to ${MAX_QUANTITY}`
export const orderLine = z
  .object(
    {
      sku,
      quantity: z.int(says(quantityRule)).min(1, quantityRule).max(MAX_QUANTITY, quantityRule).meta({
        description: 'How many of the article.',
      }),
    },
    says('must be an object'),
  )
  .meta({ id: 'OrderLine', description: 'One article of an order.' })

const MAX_ATTRIBUTES = 20
const nameRule = 'has a name that is not 1 to 64 characters'
const valueRule = 'must be text of at most 256 characters'
export const attributes = z
  .record(z.string().min(1, nameRule).max(64, nameRule), z.string(says(valueRule)).max(256, valueRule), {
    error: (issue) => (issue.code === 'invalid_key' ? nameRule : 'must be an object of texts'),
  })
  .refine((record) => Object.keys(record).length <= MAX_ATTRIBUTES, `must have at most ${MAX_ATTRIBUTES} names`)
  .meta({
    id: 'Attributes',
    description: `The merchant's own notes, at most ${MAX_ATTRIBUTES}; sent along with each delivery and notice.`,
  })

const linesRule = `must be an array of 1 to ${MAX_LINES} lines`
export const putOrderBody = z
  .object({
    amount,
    currency,
    lines: z.array(orderLine, says(linesRule)).min(1, linesRule).max(MAX_LINES, linesRule).meta({
      description: 'What is sold; all of it is delivered after the payment.',
    }),
    closeAt: instant.optional().meta({
      description:
        'When the order is closed if nobody has paid, at most 366 days ahead; by default 15 minutes after its creation.',
    }),
    attributes: attributes.optional(),
  })
  .meta({ id: 'PutOrder', description: 'The content of an order; it never changes afterwards.' })
export type PutOrderBody = z.output<typeof putOrderBody>

export const startPayAttemptBody = z
  .object({
    channel,
    outTradeNo: outTradeNo.optional().meta({
      description: "By default the order's number, then with _2, _3 …: the next that is free.",
    }),
    expiresAt: instant.optional().meta({
      description:
        "When the channel stops taking money for this try, at most 31 days after the order's closeAt, which is the default.",
    }),
    channelRef: channelRef.optional(),
    amount: amount.optional().meta({ description: "Must be the order's when given." }),
    currency: currency.optional().meta({ description: "Must be the order's when given." }),
  })
  .meta({ id: 'StartPayment', description: 'A try to pay, announced before the channel is called.' })
export type StartPayAttemptBody = z.output<typeof startPayAttemptBody>

export const addChannelRefBody = z
  .object({
    channel: channel.optional().meta({ description: 'Needed when the number exists on several channels.' }),
    channelRef,
  })
  .meta({ id: 'AddChannelRef', description: "The channel's number of a try, known after the channel was called." })

const MAX_PAGE = 200
const DEFAULT_PAGE = 100
const limitRule = `must be a whole number from 1 to ${MAX_PAGE}`
export const getOrderQuery = z
  .object({
    limit: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, limitRule)
      .transform(Number)
      .refine((limit) => limit <= MAX_PAGE, limitRule)
      .default(DEFAULT_PAGE)
      .meta({ description: `Rows of one page, attempts not counted; by default ${DEFAULT_PAGE}.` }),
    cursor: z.string().max(2048, 'must be the nextCursor of an earlier page').optional().meta({
      description: 'The nextCursor of the page before.',
    }),
  })
  .meta({ id: 'GetOrderQuery', description: 'Which part of the file.' })
