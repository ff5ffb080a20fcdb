type SchedulerErrorCode = 'ValidationException' | 'ConflictException' | 'ResourceNotFoundException'

const statuses: Readonly<Record<SchedulerErrorCode, number>> = {
  ValidationException: 400,
  ConflictException: 409,
  ResourceNotFoundException: 404,
}

/** A refusal that the caller can act on; `code` is the exception's name in the SDK. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError'
  readonly code: SchedulerErrorCode
  readonly status: number

  constructor(code: SchedulerErrorCode, message: string) {
    super(message)
    this.code = code
    this.status = statuses[code]
  }
}

/** A schedule expression that cannot be read; the message names the part. */
export class InvalidExpressionError extends Error {
  override readonly name = 'InvalidExpressionError'
  readonly code = 'InvalidExpression'
}

/** Thrown by `deliver` for a target that no retry can reach (no such queue): it goes to the dead-letter queue at once. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The answer for a value that breaks a rule. */
export const invalid = (message: string): SchedulerError => new SchedulerError('ValidationException', message)
