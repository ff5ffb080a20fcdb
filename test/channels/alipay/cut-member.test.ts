import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeText } from '../../../local/world/channels/alipay/form.ts'
import { cutMember } from '../../../modules/channels/alipay/cut-member.ts'

const cut = (text: string): string | undefined => cutMember(Buffer.from(text), 'answer')?.toString()

it('the value of a member is cut out as it stands, blanks and escapes inside included', () => {
  const inner = '{ "a":"\\u4e2d\\/,}\\"" , "b":[1, {"answer":2}] }'

  expect(cut(`{"sign":"x\\"},", "answer" : ${inner} , "n":1e2}`)).toBe(inner)
})

it.each([
  ['deeper inside', '{"a":{"answer":1}}'],
  ['inside a string', '{"a":"\\"answer\\":1"}'],
  ['there twice', '{"answer":1,"answer":2}'],
  ['there twice, once escaped', '{"answer":1,"\\u0061nswer":2}'],
  ['in a list', '[{"answer":1}]'],
  ['in no JSON', '{"answer":1'],
  ['in nothing', ''],
  ['nowhere', '{}'],
])('a member that is %s is not taken', (_where, text) => {
  expect(cut(text)).toBeUndefined()
})

it('what is cut out is the value, of any JSON, however it is written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.nat(4), (others, value, indent) => {
      const text = JSON.stringify({ ...others, answer: value }, null, indent)
      expect(JSON.parse(cut(text) ?? expect.unreachable())).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it('no text throws', () => {
  fc.assert(fc.property(fc.string(), (text) => void cut(text)))
})

it('a GBK character whose second byte is a backslash or a brace ends nothing', () => {
  const inner = '{"code":"40004","sub_msg":"誠珅俓俒丂乗\\"亅"}'
  const body = encodeText(`{"answer":${inner},"sign":"x"}`, 'gbk')

  expect(cutMember(body, 'answer', 'gbk')?.equals(encodeText(inner, 'gbk'))).toBe(true)
})

it('what is cut out of GBK is the value’s own bytes, whatever stands in it', () => {
  const character = fc.integer({ min: 0x4e00, max: 0x9fa5 }).map((code) => String.fromCharCode(code))
  const text = fc.array(fc.oneof(character, fc.constantFrom('"', '\\', '{', '}', ',', 'a'))).map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (before, within) => {
      const inner = JSON.stringify({ sub_msg: within })
      const body = encodeText(JSON.stringify({ before }).replace('}', `,"answer":${inner}}`), 'gbk')
      // The text before may hold the brace that was replaced; then the body is another one.
      fc.pre(!before.includes('}'))
      expect(cutMember(body, 'answer', 'gbk')?.equals(encodeText(inner, 'gbk'))).toBe(true)
    }),
  )
})
