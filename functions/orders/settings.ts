import type { ChannelAccount } from '../../modules/channels/account.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What orders reads of its environment; its construct gives exactly these. */
export const ordersSettings = {
  LEDGER_TABLE: text,
  CHANNELS: json<readonly ChannelAccount[]>(),
  POLICIES: json<PolicyOverrides>(),
  CLOSE_AFTER_MINUTES: json<number>(),
  DELIVERY_INTERFACES: json<Readonly<Record<string, string>>>(),
  CODE_KEYS_SECRET: text,
} satisfies SettingsSchema
