import type { WechatpayAccount } from '../../modules/channels/account.ts'
import type { ClientDeps } from '../../modules/channels/client.ts'
import { fetchCertificates } from '../../modules/channels/wechatpay/fetch-certificates.ts'
import { readKeysForFetch } from '../../modules/channels/wechatpay/keys.ts'
import { CertificatesNotFetchedError } from './errors.ts'
import { mergeCertificates } from './merge-certificates.ts'

/** The text of one account's secret, where it is kept. */
export interface SecretStore {
  /** `undefined` while it was never filled. */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

/**
 * What a refresh came to. Left alone: `empty` (nobody filled the secret), `no merchant key` (nothing to sign the question
 * with), `none issued` (the merchant uses the public key alone). `edited meanwhile`: somebody wrote the secret during the
 * fetch, and the next round finds it.
 */
export type Refreshed = 'written' | 'unchanged' | 'edited meanwhile' | 'empty' | 'no merchant key' | 'none issued'

/**
 * Brings WeChat Pay's certificates into the secret of one account, with a write only when something changed.
 *
 * Secrets Manager has no conditional write: the secret is read again right before it, and what a person changes between the
 * two, some milliseconds, is overwritten. His text then is the version AWSPREVIOUS.
 * @throws CertificatesNotFetchedError, KeyFormatError, and what the store throws
 */
export async function refreshAccount(
  account: WechatpayAccount,
  store: SecretStore,
  deps: ClientDeps,
): Promise<Refreshed> {
  const before = await store.read()
  if (before === undefined) return 'empty'
  const keys = readKeysForFetch(before)
  if (keys.merchantSerial === undefined || keys.merchantPrivateKey === undefined) return 'no merchant key'

  const result = await fetchCertificates(account, keys, deps)
  if (result.kind === 'none issued') return 'none issued'
  if (result.kind === 'failed') throw new CertificatesNotFetchedError(account.id, result.outcome)

  const after = mergeCertificates(before, result.certificates, deps.nowMs())
  if (after === undefined) return 'unchanged'
  if ((await store.read()) !== before) return 'edited meanwhile'
  await store.write(after)
  return 'written'
}
