import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What salvage reads of its environment; its construct gives exactly these. */
export const salvageSettings = {
  LEDGER_TABLE: text,
  RAW_BUCKET: text,
  POLICIES: json<PolicyOverrides>(),
} satisfies SettingsSchema
