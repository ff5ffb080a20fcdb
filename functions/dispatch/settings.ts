import { json, type SettingsSchema, text } from '../../modules/runtime/settings.ts'

/** What dispatch reads of its environment; its construct gives exactly these. */
export const dispatchSettings = {
  LANE_QUEUES: json<Readonly<Record<string, string>>>(),
  LANE_QUEUE_ARNS: json<Readonly<Record<string, string>>>(),
  SCHEDULE_GROUP: text,
  SCHEDULE_ROLE_ARN: text,
  SCHEDULE_DLQ_ARN: text,
} satisfies SettingsSchema
