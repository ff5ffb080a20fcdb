import type { ChannelAccount } from '../../../functions/channels/account.ts'
import { readStage } from '../../../infra/config.ts'

/** The accounts of the local stage, by id. */
export const ACCOUNTS: Readonly<Record<string, ChannelAccount>> = Object.fromEntries(
  readStage('local').channels.map(({ account }) => [account.id, account]),
)
