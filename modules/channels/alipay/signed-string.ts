import { createHash } from 'node:crypto'
import { asciiOf, type Form } from './form.ts'

/** Parameters that decide about money, ownership or how the others are read. All of them are plain ids, words and amounts. */
const DECISIVE = [
  'app_id',
  'charset',
  'gmt_payment',
  'notify_type',
  'out_biz_no',
  'out_trade_no',
  'refund_fee',
  'seller_id',
  'total_amount',
  'trade_no',
  'trade_status',
] as const

type Parameter = readonly [name: string, value: Buffer]

/**
 * The bytes that Alipay may have signed: all parameters but `sign` and `sign_type`, sorted by name, `name=value` joined by
 * `&`. Two forms when there are empty values, since Alipay's own libraries keep (Java) or drop (PHP) them.
 * Dropping means that whoever holds a genuine notice can add empty parameters: everywhere empty is read as absent.
 * Source: docs/channels/alipay.md, Callback
 */
export function signedStringsOf(form: Form): readonly Buffer[] {
  const signed = sortedOf(form)
  const filled = signed.filter(isFilled)
  return filled.length === signed.length ? [join(signed)] : [join(signed), join(filled)]
}

/**
 * SHA-256, hex, of what a notice says: the same however its parameters are ordered, percent-encoded, cut or padded with empty ones,
 * since nothing of that is signed.
 */
export function identityOf(form: Form): string {
  return createHash('sha256')
    .update(join(sortedOf(form).filter(isFilled)))
    .digest('hex')
}

function sortedOf(form: Form): readonly Parameter[] {
  return [...form].filter(([name]) => name !== 'sign' && name !== 'sign_type').toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const isFilled = ([, value]: Parameter): boolean => value.length > 0

function join(parameters: readonly Parameter[]): Buffer {
  const parts = parameters.flatMap(([name, value], index) => [Buffer.from(`${index === 0 ? '' : '&'}${name}=`), value])
  return Buffer.concat(parts)
}

/**
 * Whether a notice was signed as it is cut now: unquoted, one signed text has several readings.
 * - `clear`: no value holds a decisive parameter
 * - `doubtful`: one does, beside the parameter itself or where none can have stood: the channel is asked
 * - `recut`: one was hidden in its neighbour, or a value that decides holds an `&`
 */
export function cutOf(form: Form): 'clear' | 'doubtful' | 'recut' {
  const filled = sortedOf(form).filter(isFilled)
  const names = new Set(filled.map(([name]) => name))
  let cut: 'clear' | 'doubtful' = 'clear'
  for (const [index, [name, value]] of filled.entries()) {
    if (!value.includes('&')) continue
    if (isDecisive(name)) return 'recut'
    for (const hidden of DECISIVE.filter((one) => value.includes(`&${one}=`))) {
      // The signed text is sorted: only what stands between the two neighbours can have been a parameter of its own.
      const isInPlace = name < hidden && hidden < (filled[index + 1]?.[0] ?? '\uffff')
      if (isInPlace && !names.has(hidden)) return 'recut'
      cut = 'doubtful'
    }
  }
  return cut
}

function isDecisive(name: string): boolean {
  return DECISIVE.some((one) => one === name)
}

/**
 * False for the signed parameters of a browser's return to `return_url`: same key, same rule, but they pass through the
 * buyer's hands, and only a notice has an id.
 */
export function isNotice(form: Form): boolean {
  return asciiOf(form, 'notify_id') !== undefined
}
