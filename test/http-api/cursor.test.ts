import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCursor, writeCursor } from '../../modules/http-api/cursor.ts'

const key = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 1024,
})

it('a cursor of ours is read as it was written', () => {
  fc.assert(fc.property(fc.string(), key, (of, after) => readCursor(of, writeCursor(of, after)) === after))
})

it.each(['\ud800', 'ORDER\udfff', 'a\u0000', 'a\n', 'ü', '😀', '', 'x'.repeat(1025)])(
  'what is no key of DynamoDB is refused, however well it is wrapped: %j',
  (after) => {
    expect(() => readCursor('ORDER-1', writeCursor('ORDER-1', after))).toThrow("'cursor'")
  },
)
