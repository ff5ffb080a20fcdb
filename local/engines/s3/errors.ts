const statuses = {
  BadDigest: 400,
  IncompleteBody: 400,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidRange: 416,
  InternalError: 500,
  KeyTooLongError: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchVersion: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
} as const

/** A refusal in S3's own words; the codes are those of the service's API reference, "Error responses". */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: keyof typeof statuses
  readonly headers: Record<string, string>

  constructor(code: S3Error['code'], message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return statuses[this.code]
  }
}

/** The service's answer for a key without a current version. */
export function noSuchKey(headers: Record<string, string> = {}): S3Error {
  return new S3Error('NoSuchKey', 'The specified key does not exist.', headers)
}

/** The service's answer for a condition that does not hold. */
export function preconditionFailed(): S3Error {
  return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
}
