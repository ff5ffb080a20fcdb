import { z } from 'zod'
import type { ChannelAccount } from '../modules/channels/account.ts'
import { parseChannelId } from '../modules/core/ids.ts'

const channelId = z.string().transform((text, context) => {
  const id = parseChannelId(text)
  if (id !== undefined) return id
  context.addIssue({
    code: 'custom',
    message: `"${text}" is no channel id: 2 to 24 small letters, digits and hyphens, a letter first`,
  })
  return z.NEVER
})

const text = z.string().min(1).max(128)
const eventTypes = z.array(text).max(20)

const account = {
  id: channelId,
  apiBase: z.url({ protocol: /^https$/, error: 'must be an https address' }).exactOptional(),
}

const mapping = z.strictObject({
  type: text,
  outTradeNo: text,
  channelTxnId: text,
  amount: text,
  currency: text,
  paidAt: text.exactOptional(),
  refundNo: text.exactOptional(),
  refundForm: z.enum(['one', 'sum']).exactOptional(),
  unit: z.enum(['minor', 'major']),
  types: z.strictObject({
    payment: eventTypes.min(1),
    failed: eventTypes.exactOptional(),
    closed: eventTypes.exactOptional(),
    refund: eventTypes.exactOptional(),
    dispute: eventTypes.exactOptional(),
    ignored: eventTypes.exactOptional(),
  }),
})

/** One provider account, as in `modules/channels/account.ts`. Ids are validated here, once; the functions trust them. */
export const accountSchema: z.ZodType<ChannelAccount, ChannelAccountInput> = z.discriminatedUnion('kind', [
  z.strictObject({
    ...account,
    kind: z.literal('stripe'),
    livemode: z.boolean(),
    account: z
      .string()
      .regex(/^acct_[0-9A-Za-z]+$/, 'must be a connected account, acct_…')
      .exactOptional(),
  }),
  z.strictObject({ ...account, kind: z.literal('standard-webhooks'), scheme: z.enum(['v1', 'v1a']), mapping }),
  z.strictObject({
    ...account,
    kind: z.literal('alipay'),
    appId: z.string().regex(/^\d{16}$/, 'must be an Alipay app id of 16 digits'),
    sellerId: z.string().regex(/^2088\d{12}$/, 'must be an Alipay seller id, 2088 and 12 digits'),
  }),
  z.strictObject({
    ...account,
    kind: z.literal('wechatpay'),
    appId: z.string().regex(/^wx[0-9a-z]{16}$/, 'must be a WeChat app id, wx and 16 characters'),
    mchId: z.string().regex(/^\d{8,32}$/, 'must be a WeChat Pay merchant number'),
  }),
  z
    .strictObject({
      ...account,
      kind: z.literal('adyen'),
      merchantAccounts: z.array(text.regex(/^[^:]+$/, 'must hold no colon')).min(1),
      live: z.boolean(),
      capture: z.enum(['automatic', 'manual']).exactOptional(),
    })
    .refine(({ live, apiBase }) => !live || apiBase !== undefined, {
      path: ['apiBase'],
      error: 'must be given for a live account: its address has a prefix of its own',
    }),
  z.strictObject({
    ...account,
    kind: z.literal('paypal'),
    webhookId: text,
    sandbox: z.boolean(),
    merchantId: text.exactOptional(),
    certRootPems: z.array(z.string().startsWith('-----BEGIN CERTIFICATE-----')).min(1).exactOptional(),
  }),
])

type Unbranded<Account> = Account extends ChannelAccount ? Omit<Account, 'id'> & { readonly id: string } : never
/** An account as a person writes it: ids are plain text until the schema has seen them. */
export type ChannelAccountInput = Unbranded<ChannelAccount>
