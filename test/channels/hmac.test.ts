import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { matchHmac, secretKey } from '../../modules/channels/hmac.ts'

const keys = ['old', 'new'].map((text) => secretKey(Buffer.from(text)))
const signature = createHmac('sha256', 'new').update('a.b').digest()

it('the position of the key that made one of the signatures is told', () => {
  expect(matchHmac(keys, ['a', '.', Buffer.from('b')], [Buffer.alloc(32), signature])).toBe(1)
  expect(matchHmac(keys, ['a.c'], [signature])).toBeUndefined()
})

it('nothing matches a signature of another length, no signature or no key', () => {
  expect(matchHmac(keys, ['a.b'], [signature.subarray(1), Buffer.alloc(0)])).toBeUndefined()
  expect(matchHmac(keys, ['a.b'], [])).toBeUndefined()
  expect(matchHmac([], ['a.b'], [signature])).toBeUndefined()
})
