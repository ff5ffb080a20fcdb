import type { ChannelAccount } from '../../modules/channels/account.ts'
import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What ingress reads of its environment; its construct gives exactly these. */
export const ingressSettings = {
  CALLBACK_QUEUE_URL: text,
  CHANNELS: json<readonly ChannelAccount[]>(),
  CHANNEL_SECRETS: json<Readonly<Record<string, string>>>(),
  CHANNEL_ENDPOINTS: json<Readonly<Record<string, string>>>(),
} satisfies SettingsSchema
