import { localConfig } from '../../../../infra/local-config.ts'
import type { ChannelAccount } from '../../../../modules/channels/account.ts'

/** The accounts of the local stage, by id. */
export const ACCOUNTS: Readonly<Record<string, ChannelAccount>> = Object.fromEntries(
  localConfig().channels.map(({ account }) => [account.id, account]),
)
