import type { Outcome } from '../../modules/core/outcome.ts'

/** WeChat Pay's certificates of one account could not be had; the code is that of the call. */
export class CertificatesNotFetchedError extends Error {
  override readonly name = 'CertificatesNotFetchedError'
  readonly code: string

  constructor(channel: string, { kind, code, networkErrorType, message }: Outcome) {
    const what = code ?? networkErrorType?.toUpperCase().replaceAll('-', '_') ?? kind.toUpperCase()
    super(`The certificates of '${channel}' were not fetched (${what}). ${message ?? 'They are asked for again.'}`)
    this.code = what
  }
}

/** At least one account was not refreshed: Lambda tries the round again, and the function's errors are counted. */
export class RefreshFailedError extends Error {
  override readonly name = 'RefreshFailedError'
  readonly code = 'REFRESH_FAILED'

  constructor(channels: readonly string[]) {
    super(`Not refreshed: ${channels.join(', ')}. The log line of each says why; docs/runbook.md, CertificatesFailed.`)
  }
}
