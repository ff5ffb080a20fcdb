import type { WechatpayAccount } from '../../modules/channels/account.ts'
import { json, type SettingsSchema } from '../../modules/runtime/settings.ts'

/** What certificates reads of its environment; its construct gives exactly these. */
export const certificatesSettings = {
  CHANNELS: json<readonly WechatpayAccount[]>(),
  CHANNEL_SECRETS: json<Readonly<Record<string, string>>>(),
  CHANNEL_ENDPOINTS: json<Readonly<Record<string, string>>>(),
} satisfies SettingsSchema
