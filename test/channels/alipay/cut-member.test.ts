import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutMember } from '../../../modules/channels/alipay/cut-member.ts'

it('the value of a member is cut out as it stands, blanks and escapes inside included', () => {
  const inner = '{ "a":"\\u4e2d\\/,}\\"" , "b":[1, {"answer":2}] }'

  expect(cutMember(`{"sign":"x\\"},", "answer" : ${inner} , "n":1e2}`, 'answer')).toBe(inner)
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
  expect(cutMember(text, 'answer')).toBeUndefined()
})

it('what is cut out is the value, of any JSON, however it is written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.nat(4), (others, value, indent) => {
      const text = JSON.stringify({ ...others, answer: value }, null, indent)
      expect(JSON.parse(cutMember(text, 'answer') ?? expect.unreachable())).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it('no text throws', () => {
  fc.assert(fc.property(fc.string(), (text) => void cutMember(text, 'answer')))
})
