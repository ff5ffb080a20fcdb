import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_ITEMS } from '../../../modules/channels/adyen/read-items.ts'
import { type Item, message, signItem, verify } from './signed-webhook.ts'

const identityOf = (body: string) => {
  const verification = verify(body)
  return verification.ok ? verification.verified.identity : verification.reason
}

/** The text with each character of its strings escaped. */
const escaped = (json: string) =>
  json.replaceAll(/"((?:[^"\\\\])*)"/g, (_, text: string) => {
    const units = Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return `"${units.join('')}"`
  })

const reversed = (item: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(item).toReversed())

describe('one genuine webhook in many spellings', () => {
  const item = signItem()
  const body = message(item)
  const genuine = identityOf(body)

  it('has an identity that is 64 hex digits', () => {
    expect(genuine).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ['with blanks and line breaks', JSON.stringify(JSON.parse(body), undefined, 2)],
    ['with its names in the other order', message(reversed(item))],
    ['with every character escaped', escaped(body)],
    ['with a name twice', body.replace('"live":"false"', '"live":"x","live":"false"')],
    ['with its amount as text', message({ ...item, amount: { value: '10000', currency: 'CNY' } })],
    ['with an empty field', message({ ...item, originalReference: '' })],
    ['with a field of null', message({ ...item, originalReference: null })],
    ['with another date, which nobody signed', message({ ...item, eventDate: '2020-01-01T00:00:00+01:00' })],
    ['with more of what nobody signed', message({ ...item, reason: 'x', operations: ['REFUND'] })],
    ['with its item twice', message(item, item)],
  ])('%s it is the same callback', (_how, spelt) => {
    expect(identityOf(spelt)).toBe(genuine)
  })

  it('of any items in any order, some of them repeated, it is the same callback', () => {
    const items = Array.from({ length: 5 }, (_, n) => signItem({ pspReference: `PSP${n}` }))
    const ofAll = identityOf(message(...items))
    fc.assert(
      fc.property(
        fc.shuffledSubarray(items, { minLength: 5 }),
        fc.array(fc.constantFrom(...items), { maxLength: 10 }),
        (shuffled, repeated) => {
          expect(identityOf(message(...shuffled, ...repeated))).toBe(ofAll)
        },
      ),
      { numRuns: 50 },
    )
  })

  it.each<[string, Item]>([
    ['payment', { pspReference: 'PSP0000000000002' }],
    ['original payment', { originalReference: 'PSP0000000000009' }],
    ['account', { merchantAccountCode: 'Other' }],
    ['reference', { merchantReference: 'ORDER_0002' }],
    ['amount', { amount: { value: 10001, currency: 'CNY' } }],
    ['currency', { amount: { value: 10000, currency: 'EUR' } }],
    ['event', { eventCode: 'CAPTURE' }],
    ['outcome', { success: 'false' }],
  ])('a webhook of another %s is another callback', (_what, changes) => {
    expect(identityOf(message(signItem(changes)))).toMatch(/^[0-9a-f]{64}$/)
    expect(identityOf(message(signItem(changes)))).not.toBe(genuine)
  })

  it('two items are not one, and not each other’s neighbours', () => {
    const second = signItem({ pspReference: 'PSP2' })

    const identities = [message(item), message(second), message(item, second)].map(identityOf)

    expect(new Set(identities).size).toBe(3)
  })
})

describe('a message of very many items', () => {
  it('is malformed from 101 on, whether or not they are signed', () => {
    const item = signItem()

    expect(verify(message(...Array<unknown>(MAX_ITEMS).fill(item)))).toMatchObject({ ok: true })
    expect(verify(message(...Array<unknown>(MAX_ITEMS + 1).fill(item)))).toEqual({ ok: false, reason: 'malformed' })
    expect(verify(message(...Array<unknown>(9_000).fill({})))).toEqual({ ok: false, reason: 'malformed' })
  })
})
