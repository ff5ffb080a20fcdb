import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What sweep reads of its environment; its construct gives exactly these. */
export const sweepSettings = {
  LEDGER_TABLE: text,
  POLICIES: json<PolicyOverrides>(),
  GATE_TABLE: text,
  GATED_LANES: json<readonly string[]>(),
} satisfies SettingsSchema
