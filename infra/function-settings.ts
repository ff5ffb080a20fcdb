import type { certificatesSettings } from '../functions/certificates/settings.ts'
import type { dispatchSettings } from '../functions/dispatch/settings.ts'
import type { ingressSettings } from '../functions/ingress/settings.ts'
import type { ordersSettings } from '../functions/orders/settings.ts'
import type { publishSettings } from '../functions/publish/settings.ts'
import type { salvageSettings } from '../functions/salvage/settings.ts'
import type { settleSettings } from '../functions/settle/settings.ts'
import type { sweepSettings } from '../functions/sweep/settings.ts'
import type { workSettings } from '../functions/work/settings.ts'
import type { StageConfig } from './config-schema.ts'

/**
 * The folders under `functions/` that are deployed, each with the settings that it reads from its environment. A construct
 * that leaves one out does not compile.
 */
export interface FunctionSettings {
  ingress: keyof typeof ingressSettings
  settle: keyof typeof settleSettings
  salvage: keyof typeof salvageSettings
  dispatch: keyof typeof dispatchSettings
  publish: keyof typeof publishSettings
  work: keyof typeof workSettings
  sweep: keyof typeof sweepSettings
  certificates: keyof typeof certificatesSettings
  orders: keyof typeof ordersSettings
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
