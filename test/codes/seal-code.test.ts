import { describe, expect, it } from 'vitest'
import { readCodeKeys } from '../../modules/codes/code-keys.ts'
import { openCode, sealCode } from '../../modules/codes/seal-code.ts'
import { parseSku } from '../../modules/core/ids.ts'
import { sure } from '../support/core-builders.ts'

const FIRST = 'a'.repeat(64)
const SECOND = 'b'.repeat(64)
const sku = sure(parseSku('CARD-50'))
const other = sure(parseSku('CARD-51'))
const CODE = 'GIFT-密-0001'

const generated = readCodeKeys(JSON.stringify({ id: 'k1', previous: [], key: FIRST }))
const rotated = readCodeKeys(
  JSON.stringify({ id: 'k2', key: SECOND, naming: FIRST, previous: [{ id: 'k1', key: FIRST }] }),
)

const changed = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

describe('a kept code', () => {
  it('is read back as it was', () => {
    const kept = sealCode(generated, sku, CODE)

    expect(openCode(generated, kept)).toBe(CODE)
  })

  it('has an id that is the same each time and a ciphertext that never is', () => {
    const [first, second] = [sealCode(generated, sku, CODE), sealCode(generated, sku, CODE)]

    expect(first.codeId).toBe(second.codeId)
    expect(Buffer.compare(first.sealed, second.sealed)).not.toBe(0)
  })

  it('tells nothing of its text', () => {
    const kept = sealCode(generated, sku, CODE)

    expect(Buffer.from(kept.sealed).includes(CODE)).toBe(false)
    expect(JSON.stringify(kept)).not.toContain(CODE)
  })

  it('has another id under another sku', () => {
    expect(sealCode(generated, other, CODE).codeId).not.toBe(sealCode(generated, sku, CODE).codeId)
  })

  it.each([
    ['in its nonce', 0],
    ['in its text', 12],
    ['in its tag', -1],
  ])('that was changed %s is refused and named by its id alone', (_, at) => {
    const kept = sealCode(generated, sku, CODE)
    const sealed = changed(kept.sealed, at < 0 ? kept.sealed.length + at : at)

    const open = () => openCode(generated, { ...kept, sealed })

    expect(open).toThrow(expect.objectContaining({ code: 'CODE_TAMPERED', codeId: kept.codeId }))
    expect(open).not.toThrow(CODE)
  })

  it('cannot pass for one of another sku or id, nor be cut short', () => {
    const kept = sealCode(generated, sku, CODE)
    const tampered = expect.objectContaining({ code: 'CODE_TAMPERED' })

    expect(() => openCode(generated, { ...kept, sku: other })).toThrow(tampered)
    expect(() => openCode(generated, { ...kept, codeId: 'another' })).toThrow(tampered)
    expect(() => openCode(generated, { ...kept, sealed: kept.sealed.subarray(0, 20) })).toThrow(tampered)
  })
})

describe('after a rotation', () => {
  it('old codes are read and new ones are encrypted with the new key', () => {
    const kept = sealCode(generated, sku, CODE)

    expect(openCode(rotated, kept)).toBe(CODE)
    expect(sealCode(rotated, sku, CODE).keyId).toBe('k2')
  })

  it('a code still has the same id, so that it is not taken in again', () => {
    expect(sealCode(rotated, sku, CODE).codeId).toBe(sealCode(generated, sku, CODE).codeId)
  })

  it('a code of a key that was dropped says which key is missing', () => {
    const kept = sealCode(generated, sku, CODE)
    const dropped = readCodeKeys(JSON.stringify({ id: 'k2', key: SECOND, naming: FIRST }))

    expect(() => openCode(dropped, kept)).toThrow(/key 'k1'.*previous/)
  })
})

describe('the secret of the keys', () => {
  it.each([
    ['no JSON', FIRST, 'text'],
    ['a short key', { id: 'k1', key: 'short' }, 'key'],
    ['no id', { key: FIRST }, 'id'],
    ['one id twice', { id: 'k1', key: FIRST, naming: FIRST, previous: [{ id: 'k1', key: SECOND }] }, 'previous'],
    [
      'a rotation that forgot the naming key',
      { id: 'k2', key: SECOND, previous: [{ id: 'k1', key: FIRST }] },
      'naming',
    ],
  ])('with %s is refused by the name of the field, never its value', (_, secret, field) => {
    const read = () => readCodeKeys(typeof secret === 'string' ? secret : JSON.stringify(secret))

    expect(read).toThrow(`wrong '${field}'`)
    expect(read).not.toThrow(FIRST)
  })
})
