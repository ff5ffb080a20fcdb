import { type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What publish reads of its environment; its construct gives exactly these. */
export const publishSettings = {
  BUS_NAME: text,
  LEDGER_TABLE: text,
} satisfies SettingsSchema
