import type { ChannelAccount } from './account.ts'

/**
 * The accounts, each with the base address that the setting CHANNEL_ENDPOINTS names for it: known at deploy time only (a proxy, a
 * sandbox, a simulator), and stronger than the account's own.
 * @param endpoints base address by channel id
 * @throws EndpointError for one that is plain and not on this machine: keys would go over the network in the clear
 */
export function atEndpoints<Account extends ChannelAccount>(
  accounts: readonly Account[],
  endpoints: Readonly<Record<string, string>>,
): readonly Account[] {
  const bases = new Map(Object.entries(endpoints))
  return accounts.map((account) => {
    const apiBase = bases.get(account.id)
    if (apiBase === undefined) return account
    if (!isSafe(apiBase)) throw new EndpointError(account.id)
    return { ...account, apiBase }
  })
}

export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly code = 'ENDPOINT'

  constructor(channel: string) {
    super(`The endpoint of '${channel}' must be an https address. Change the parameter ChannelEndpoints and deploy.`)
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}
