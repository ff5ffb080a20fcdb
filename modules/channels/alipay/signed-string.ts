import { asciiOf, type Form } from './form.ts'

/** Parameters that decide about money or ownership. */
const DECISIVE = [
  'app_id',
  'gmt_payment',
  'out_biz_no',
  'out_trade_no',
  'refund_fee',
  'seller_id',
  'total_amount',
  'trade_no',
  'trade_status',
].map((name) => Buffer.from(`&${name}=`))

/**
 * The bytes that Alipay may have signed: all parameters but `sign` and `sign_type`, sorted by name, `name=value` joined by
 * `&`. Two forms when there are empty values, since Alipay's own libraries keep (Java) or drop (PHP) them.
 * Dropping means that whoever holds a genuine notice can add empty parameters: everywhere empty is read as absent.
 * Source: docs/channels/alipay.md, Callback
 */
export function signedStringsOf(form: Form): readonly Buffer[] {
  const signed = [...form]
    .filter(([name]) => name !== 'sign' && name !== 'sign_type')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const filled = signed.filter(([, value]) => value.length > 0)
  return filled.length === signed.length ? [join(signed)] : [join(signed), join(filled)]
}

function join(parameters: readonly (readonly [string, Buffer])[]): Buffer {
  const parts = parameters.flatMap(([name, value], index) => [Buffer.from(`${index === 0 ? '' : '&'}${name}=`), value])
  return Buffer.concat(parts)
}

/**
 * True when a value holds `&name=` of a decisive parameter. Values are signed without any quoting, so a genuine notice could
 * be cut at other places into the same signed string; the true parameter must then hide inside a value.
 */
export function hidesParameter(form: Form): boolean {
  return [...form.values()].some((value) => DECISIVE.some((text) => value.includes(text)))
}

/**
 * False for the signed parameters of a browser's return to `return_url`: same key, same rule, but they pass through the
 * buyer's hands, and only a notice has an id.
 */
export function isNotice(form: Form): boolean {
  return asciiOf(form, 'notify_id') !== undefined
}
