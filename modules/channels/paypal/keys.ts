import { readSecretFields } from '../secret-text.ts'

export interface PaypalKeys {
  readonly clientId?: string
  readonly clientSecret?: string
}

/**
 * `{ "clientId"?: "…", "clientSecret"?: "…" }`: of the REST app, for asking. Callbacks need neither: they are checked with
 * PayPal's certificate and the account's webhookId.
 * @throws KeyFormatError
 */
export function readPaypalKeys(secret: string): PaypalKeys {
  const fields = readSecretFields('paypal', secret, ['clientId', 'clientSecret'])
  const clientId = fields.optionalToken('clientId')
  const clientSecret = fields.optionalToken('clientSecret')
  return { ...(clientId !== undefined && { clientId }), ...(clientSecret !== undefined && { clientSecret }) }
}
