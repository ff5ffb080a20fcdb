import type { ChannelAccount } from '../../modules/channels/account.ts'
import type { CodeKeys } from '../../modules/codes/code-keys.ts'
import type { Instant } from '../../modules/core/instant.ts'
import type { Policies } from '../../modules/core/task-policies.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'

/** What the routes need; made once at the start of the function. */
export interface OrdersDeps {
  readonly ledger: Ledger
  /** The configured channel accounts by id. */
  readonly channels: ReadonlyMap<string, ChannelAccount>
  readonly policies: Policies
  /** From an order's creation to its closing when the merchant names no time. */
  readonly closeAfterMs: number
  /** Names of the configured webhooks beside the usual one. */
  readonly webhooks: ReadonlySet<string>
  /** What codes are encrypted with, kept a while. */
  readonly codeKeys: {
    /** @throws SecretMissingError, CodeKeyFormatError */
    get(): Promise<CodeKeys>
    /** Fetched anew for a code of a key that is not known yet; `undefined` when that changed nothing. */
    refetch(): Promise<CodeKeys | undefined>
  }
  readonly now: () => Instant
}
