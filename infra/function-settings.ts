import type { StageConfig } from './config-schema.ts'

/**
 * The folders under `functions/` that are deployed, each with the settings that it reads from its environment. A construct
 * that leaves one out does not compile; a test compares the names with what the sources read.
 */
export interface FunctionSettings {
  ingress: 'CALLBACK_QUEUE_URL' | 'CHANNELS' | 'CHANNEL_SECRETS' | 'CHANNEL_ENDPOINTS'
  settle: 'LEDGER_TABLE' | 'RAW_BUCKET' | 'CHANNELS' | 'CHANNEL_SECRETS' | 'POLICIES' | 'NOTICES'
  salvage: 'LEDGER_TABLE' | 'RAW_BUCKET' | 'POLICIES'
  dispatch: 'LANE_QUEUES' | 'LANE_QUEUE_ARNS' | 'SCHEDULE_GROUP' | 'SCHEDULE_ROLE_ARN' | 'SCHEDULE_DLQ_ARN'
  publish: 'BUS_NAME' | 'LEDGER_TABLE'
  work:
    | 'LEDGER_TABLE'
    | 'GATE_TABLE'
    | 'GATES'
    | 'RAW_BUCKET'
    | 'CHANNELS'
    | 'CHANNEL_SECRETS'
    | 'CHANNEL_ENDPOINTS'
    | 'MERCHANT_SECRET'
    | 'DELIVERY_URL'
    | 'DELIVERY_INTERFACES'
    | 'PRIVATE_ORIGINS'
    | 'POLICIES'
    | 'NOTICES'
  sweep: 'LEDGER_TABLE' | 'POLICIES' | 'GATE_TABLE' | 'GATED_LANES'
  certificates: 'CHANNELS' | 'CHANNEL_SECRETS' | 'CHANNEL_ENDPOINTS'
  orders: 'LEDGER_TABLE' | 'CHANNELS' | 'POLICIES' | 'CLOSE_AFTER_MINUTES' | 'DELIVERY_INTERFACES' | 'CODE_KEYS_SECRET'
}

/** The setting CHANNELS: a JSON array of accounts, as in `modules/channels/account.ts`. */
export function accountsJson({ channels }: Pick<StageConfig, 'channels'>): string {
  return JSON.stringify(channels.map(({ account }) => account))
}

/** The setting POLICIES: a JSON map of what differs from the defaults, which are in the code. */
export function policiesJson(config: StageConfig): string {
  return JSON.stringify(config.policies)
}

/** The setting GATES: a JSON map of what differs per lane from the defaults, which are in the code. */
export function gatesJson(config: StageConfig): string {
  return JSON.stringify(config.gates)
}
