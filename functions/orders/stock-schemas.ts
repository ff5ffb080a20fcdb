import { z } from 'zod'
import { parseInterface } from '../../modules/core/stock.ts'
import { MAX_BUCKETS } from '../../modules/ledger/table/limits.ts'

const says = (rule: string) => ({
  error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? 'is missing' : rule),
})

const wayRule = "must be 'card-code', 'webhook' or 'webhook:' and a configured name"
export const deliveryInterface = z
  .string(says(wayRule))
  .transform((text, context) => {
    const way = parseInterface(text)
    if (way !== undefined) return way
    context.addIssue({ code: 'custom', message: wayRule })
    return z.NEVER
  })
  .meta({
    id: 'DeliveryInterface',
    description: 'One way to deliver: a code of our own pool, the usual webhook, or one of a configured name.',
    pattern: '^(card-code|webhook(:[a-z][a-z0-9-]{0,23})?)$',
    examples: ['webhook'],
  })

const MAX_ON_HAND = 1_000_000_000
const onHandRule = `must be a whole number from 0 to ${MAX_ON_HAND}`
const bucketsRule = `must be a whole number from 1 to ${MAX_BUCKETS}`
const MAX_INTERFACES = 5
const interfacesRule = `must be an array of 1 to ${MAX_INTERFACES} different ways of delivery`
export const putStockBody = z
  .object({
    onHand: z.int(says(onHandRule)).min(0, onHandRule).max(MAX_ON_HAND, onHandRule).optional().meta({
      description: 'Everything that ever came in, sold units included; left out for a sku of codes, which are counted.',
    }),
    kind: z.enum(['goods', 'card-code'], says("must be 'goods' or 'card-code'")).optional().meta({
      description: "Never changes; by default 'goods'.",
    }),
    interfaces: z
      .array(deliveryInterface, says(interfacesRule))
      .min(1, interfacesRule)
      .max(MAX_INTERFACES, interfacesRule)
      .refine((ways) => new Set(ways).size === ways.length, interfacesRule)
      .optional()
      .meta({
        description:
          'Ways of delivery in their order; the next is taken only when one has refused for good. Holds for orders from now on.',
      }),
    buckets: z.int(says(bucketsRule)).min(1, bucketsRule).max(MAX_BUCKETS, bucketsRule).optional().meta({
      description: 'Over how many rows the stock is spread: more let more orders of the sku be taken at once.',
    }),
  })
  .meta({ id: 'PutStock', description: 'How much there is of a sku, and how it is delivered.' })
export type PutStockBody = z.output<typeof putStockBody>

const MAX_CODES = 500
const MAX_CODE_LENGTH = 256
const codeRule = `must be text of 1 to ${MAX_CODE_LENGTH} characters`
const codesRule = `must be an array of 1 to ${MAX_CODES} codes`
export const addCodesBody = z
  .object({
    codes: z
      .array(z.string(says(codeRule)).min(1, codeRule).max(MAX_CODE_LENGTH, codeRule), says(codesRule))
      .min(1, codesRule)
      .max(MAX_CODES, codesRule),
  })
  .meta({ id: 'AddCodes', description: 'Codes to be sold, each once.' })
export type AddCodesBody = z.output<typeof addCodesBody>

const count = z.int()
const text = z.string()
const instant = z.string().meta({ format: 'date-time', description: 'UTC, with milliseconds.' })

export const stockView = z
  .object({
    sku: text,
    kind: z.enum(['goods', 'card-code']),
    interfaces: z.array(text),
    buckets: count,
    onHand: count.meta({ description: 'Everything that ever came in: available, reserved and sold together.' }),
    available: count,
    reserved: count.meta({ description: 'Held by orders that wait for their payment.' }),
    sold: count,
    revision: count.meta({ description: 'Of settings and onHand; the ETag. Orders leave it as it is.' }),
    updatedAt: instant,
  })
  .meta({ id: 'Stock', description: 'What is there of a sku.' })

export const codesAddedView = z
  .object({
    sku: text,
    added: count,
    known: count.meta({ description: 'Codes that were there already, free or sold, or stood twice in the request.' }),
  })
  .meta({ id: 'CodesAdded', description: 'What became of the codes of a request.' })

export const orderCodesView = z
  .object({
    orderNo: text,
    lines: z.array(z.object({ line: count, sku: text, deliveredAt: instant, codes: z.array(text) })),
  })
  .meta({ id: 'OrderCodes', description: "The codes of an order's delivered lines, in plain text." })
