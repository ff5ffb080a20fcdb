import type { ChannelAccount } from './account.ts'

/**
 * The accounts, each with the base address that the setting CHANNEL_ENDPOINTS names for it: known at deploy time only (a proxy, a
 * sandbox, a simulator), and stronger than the account's own.
 * @param endpoints base address by channel id
 */
export function atEndpoints<Account extends ChannelAccount>(
  accounts: readonly Account[],
  endpoints: Readonly<Record<string, string>>,
): readonly Account[] {
  const bases = new Map(Object.entries(endpoints))
  return accounts.map((account) => {
    const apiBase = bases.get(account.id)
    return apiBase === undefined ? account : { ...account, apiBase }
  })
}
