import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAlipay } from '../../../modules/channels/alipay/parse.ts'
import type { CallbackRequest, Verification } from '../../../modules/channels/channel.ts'
import { requestOf } from '../message-setup.ts'
import { ACCOUNT, encode, KEYS, PAYMENT, type Parameters, signForm, verify } from './signed-notice.ts'

const REFUNDED: Parameters = {
  ...PAYMENT,
  refund_fee: '30.00',
  out_biz_no: 'shop-7',
  gmt_create: '2026-11-02 09:59:00',
  buyer_id: '2088000000000009',
  receipt_amount: '88.00',
}

/** What the ledger files a notice under: the ids of its events, and the identity of its bytes. */
function filedAs(verification: Verification) {
  if (!verification.ok) return verification.reason
  const parsed = parseAlipay(verification.verified, ACCOUNT, KEYS)
  const events = parsed.ok ? parsed.events.map(({ eventId, kind, trust }) => `${eventId} ${kind} ${trust}`) : parsed
  return { events, identity: verification.verified.identity }
}

describe('one genuine notice in many spellings', () => {
  const signed = signForm(REFUNDED)
  const genuine = filedAs(verify(encode(signed)))
  const percentOf = (text: string, byte: (value: number) => string) => [...Buffer.from(text)].map(byte).join('')

  it('has an identity that is 64 hex digits, and not its body’s', () => {
    expect(genuine).toMatchObject({ identity: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it.each<[string, (entries: [string, string][]) => string]>([
    ['in the other order', (entries) => new URLSearchParams(entries.toReversed()).toString()],
    ['with an empty parameter', (entries) => `${new URLSearchParams(entries)}&zzz=`],
    ['with five empty parameters', (entries) => `a=&b=&gmt_close=&${new URLSearchParams(entries)}&y=&z=`],
    ['with a name and no value', (entries) => `${new URLSearchParams(entries)}&nothing`],
    ['with blanks as %20', (entries) => new URLSearchParams(entries).toString().replaceAll('+', '%20')],
    [
      'with small hex digits',
      (entries) => new URLSearchParams(entries).toString().replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ],
    [
      'with every byte escaped',
      (entries) =>
        entries
          .map(([name, value]) => `${name}=${percentOf(value, (byte) => `%${byte.toString(16).padStart(2, '0')}`)}`)
          .join('&'),
    ],
  ])('%s it is the same callback', (_how, spell) => {
    expect(filedAs(verify(requestOf({}, spell(Object.entries(signed)))))).toEqual(genuine)
  })

  it('in any order, with any empty parameters, it is the same callback', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,12}$/), { maxLength: 30 })
    fc.assert(
      fc.property(
        names,
        fc.shuffledSubarray(Object.entries(signed), { minLength: Object.keys(signed).length }),
        (added, entries) => {
          const empty = added.filter((name) => !Object.hasOwn(signed, name)).map((name): [string, string] => [name, ''])
          expect(filedAs(verify(requestOf({}, new URLSearchParams([...empty, ...entries]).toString())))).toEqual(
            genuine,
          )
        },
      ),
    )
  })

  it('another notice of the same trade has another identity', () => {
    const later = filedAs(verify(encode(signForm({ ...REFUNDED, notify_time: '2026-11-02 10:03:58' }))))

    expect(later).toMatchObject({ events: expect.anything() })
    expect(later).not.toEqual(genuine)
  })
})

/** The genuine notice with the parameters from `first` to `last`, as they are signed, put into the value of the first. */
function recut(signed: Parameters, first: number, last: number): CallbackRequest {
  const { sign = '', sign_type = '', ...rest } = signed
  const sorted = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const [name = '', value = ''] = sorted[first] ?? []
  const hidden = sorted.slice(first + 1, last + 1).map((parameter) => `&${parameter.join('=')}`)
  const left = sorted.filter((_, index) => index < first || index > last)
  return encode({ ...Object.fromEntries(left), [name]: [value, ...hidden].join(''), sign, sign_type })
}

describe('the same notice, cut at other places', () => {
  const signed = signForm(REFUNDED)
  const genuine = filedAs(verify(encode(signed)))
  const count = Object.keys(REFUNDED).length

  it('never says less of what decides: it is refused, or it is the same callback', () => {
    const cuts = Array.from({ length: count }, (_, first) =>
      Array.from({ length: count - first - 1 }, (__, length) => [first, first + length + 1] as const),
    ).flat()

    const outcomes = cuts.map(([first, last]) => filedAs(verify(recut(signed, first, last))))

    for (const outcome of outcomes.filter((one) => typeof one !== 'string')) expect(outcome).toEqual(genuine)
    expect(outcomes.filter((outcome) => outcome === 'malformed').length).toBeGreaterThan(count)
  })

  it('with the hidden parameter given anew and empty, it is refused', () => {
    const { refund_fee = '', out_biz_no: _, ...rest } = signed
    const hiding = { ...rest, receipt_amount: `88.00&refund_fee=${refund_fee}`, refund_fee: '' }

    expect(filedAs(verify(encode({ ...hiding, out_biz_no: 'shop-7' })))).toBe('malformed')
  })

  it.each([
    'app_id',
    'charset',
    'notify_type',
    'out_trade_no',
    'seller_id',
    'total_amount',
    'trade_no',
    'trade_status',
  ])('an ampersand in %s is refused, however it is signed', (name) => {
    expect(filedAs(verify(encode(signForm({ ...PAYMENT, [name]: `${PAYMENT[name]}&x=1` }))))).toBe('malformed')
  })
})

describe('a genuine notice whose text looks like a parameter', () => {
  it.each(['A&trade_no=7', '&total_amount=0.01', 'x&trade_status=TRADE_CLOSED&out_trade_no=OTHER_1', 'a&charset=gbk'])(
    'of the subject %j is kept, and has the channel asked by our number',
    (subject) => {
      const verification = verify(encode(signForm({ ...PAYMENT, subject })))
      if (!verification.ok) return expect.unreachable(verification.reason)

      const parsed = parseAlipay(verification.verified, ACCOUNT, KEYS)

      expect(parsed).toMatchObject({ ok: true, events: [{ kind: 'payment', trust: 'hint', outTradeNo: 'ORDER_0001' }] })
      // Nothing in it may be believed: another cut of the same text says another thing.
      expect(parsed).not.toHaveProperty('events.0.money')
      expect(parsed).not.toHaveProperty('events.0.channelTxnId')
    },
  )

  it('and tells of a refund has both asked about', () => {
    const verification = verify(encode(signForm({ ...REFUNDED, subject: '&trade_no=7' })))
    if (!verification.ok) return expect.unreachable(verification.reason)

    expect(parseAlipay(verification.verified, ACCOUNT, KEYS)).toMatchObject({
      ok: true,
      events: [
        { kind: 'payment', trust: 'hint' },
        { kind: 'refund', trust: 'hint', channelTxnId: PAYMENT['trade_no'] },
      ],
    })
  })

  it('is one callback however it is cut: a price that the buyer hid becomes no fact', () => {
    const signed = signForm({ ...PAYMENT, subject: 'S&total_amount=9999.00&total_b=' })
    const forged = {
      ...signed,
      subject: 'S',
      total_amount: '9999.00',
      total_b: `&total_amount=${PAYMENT['total_amount']}`,
    }

    const filed = filedAs(verify(encode(forged)))

    expect(filed).toEqual(filedAs(verify(encode(signed))))
    expect(filed).toMatchObject({ events: [expect.stringContaining('hint')] })
  })

  it.each(['A+B & C=D', '&amount=7', 'a&trade_nope=1', '&&&', 'trade_no=7'])(
    'but not like one that decides, %j, is a fact',
    (subject) => {
      expect(filedAs(verify(encode(signForm({ ...PAYMENT, subject }))))).toMatchObject({
        events: [expect.stringContaining('payment fact')],
      })
    },
  )
})

describe('a body of very many parameters', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')

  it('is malformed from 201 on, before any of them is decoded', () => {
    expect(verify(requestOf({}, many(201)))).toEqual({ ok: false, reason: 'malformed' })
    expect(verify(requestOf({}, many(200)))).toEqual({ ok: false, reason: 'missing-header' })
    expect(verify(requestOf({}, '&'.repeat(190_000)))).toEqual({ ok: false, reason: 'malformed' })
  })
})
