import type { ChannelAccount } from '../../modules/channels/account.ts'
import { parseNoticeTypes } from '../../modules/core/notice.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What settle reads of its environment; its construct gives exactly these. */
export const settleSettings = {
  LEDGER_TABLE: text,
  RAW_BUCKET: text,
  CHANNELS: json<readonly ChannelAccount[]>(),
  CHANNEL_SECRETS: json<Readonly<Record<string, string>>>(),
  POLICIES: json<PolicyOverrides>(),
  NOTICES: parseNoticeTypes,
} satisfies SettingsSchema
