import type { ChannelAccount } from '../../modules/channels/account.ts'
import type { GateOverrides } from '../../modules/core/gate/config.ts'
import { parseNoticeTypes } from '../../modules/core/notice.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { json, list, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What work reads of its environment; its construct gives exactly these. */
export const workSettings = {
  LEDGER_TABLE: text,
  GATE_TABLE: text,
  GATES: json<GateOverrides>(),
  RAW_BUCKET: text,
  CHANNELS: json<readonly ChannelAccount[]>(),
  CHANNEL_SECRETS: json<Readonly<Record<string, string>>>(),
  CHANNEL_ENDPOINTS: json<Readonly<Record<string, string>>>(),
  MERCHANT_SECRET: text,
  DELIVERY_URL: text,
  DELIVERY_INTERFACES: json<Readonly<Record<string, string>>>(),
  PRIVATE_ORIGINS: list,
  POLICIES: json<PolicyOverrides>(),
  NOTICES: parseNoticeTypes,
} satisfies SettingsSchema
