/** The local DynamoDB engine cannot run here; the message says what to do. */
export class DynamodbEngineError extends Error {
  override readonly name = 'DynamodbEngineError'
  readonly code: 'NO_ENGINE' | 'STATE_IN_USE' | 'ENGINE_FAILED' | 'TABLE_DIFFERS' | 'STREAM_FAILED'

  constructor(code: DynamodbEngineError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
