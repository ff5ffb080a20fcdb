import { readStage } from '../../../../infra/config.ts'
import type { ChannelAccount } from '../../../../modules/channels/account.ts'

/** The accounts of the local stage, by id. */
export const ACCOUNTS: Readonly<Record<string, ChannelAccount>> = Object.fromEntries(
  readStage('local').channels.map(({ account }) => [account.id, account]),
)
