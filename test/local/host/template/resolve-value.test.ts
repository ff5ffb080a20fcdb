import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../local/host/template/json.ts'
import { type ResolveScope, resolveValue } from '../../../../local/host/template/resolve-value.ts'

const scope: ResolveScope = {
  ref: (name) => `ref:${name}`,
  getAtt: (logicalId, attribute) => `att:${logicalId}/${attribute}`,
  condition: (name) => name === 'Yes',
  mappings: { Sizes: { small: { mb: 128 } } },
}

describe('a template function', () => {
  it.each<[string, Json, Json]>([
    ['Ref', { Ref: 'Queue' }, 'ref:Queue'],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'att:Queue/Arn'],
    ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Queue.Nested.Arn' }, 'att:Queue/Nested.Arn'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'B' }, 3]] }, 'a-ref:B-3'],
    ['Fn::Split and Fn::Select', { 'Fn::Select': ['1', { 'Fn::Split': ['/', 'a/b/c'] }] }, 'b'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
    ['Fn::Sub', { 'Fn::Sub': ['${A}:${B.Arn}:${own}:${!kept}', { own: 'x' }] }, 'ref:A:att:B/Arn:x:${kept}'],
    ['Fn::If', { 'Fn::If': ['Yes', 'a', 'b'] }, 'a'],
    ['Fn::FindInMap', { 'Fn::FindInMap': ['Sizes', 'small', 'mb'] }, 128],
    ['Fn::Equals', { 'Fn::Equals': [{ Ref: 'A' }, 'ref:A'] }, true],
    ['Fn::And, Fn::Or, Fn::Not', { 'Fn::And': [{ Condition: 'Yes' }, { 'Fn::Not': [{ Condition: 'No' }] }] }, true],
    ['a value without functions', { a: [1, null, { b: true }] }, { a: [1, null, { b: true }] }],
    [
      'AWS::NoValue in an object and a list',
      { a: { Ref: 'AWS::NoValue' }, b: [{ Ref: 'AWS::NoValue' }, 1] },
      { b: [1] },
    ],
    [
      'a member named Condition',
      { Condition: { Bool: { secure: 'false' } } },
      { Condition: { Bool: { secure: 'false' } } },
    ],
  ])('%s is resolved', (_what, value, expected) => {
    expect(resolveValue(value, scope)).toEqual(expected)
  })

  it('that leads out of the stack is refused', () => {
    expect(() => resolveValue({ 'Fn::ImportValue': 'other' }, scope)).toThrow('Fn::ImportValue needs another stack')
    expect(() => resolveValue({ 'Fn::Transform': {} }, scope)).toThrow('Fn::Transform has no meaning')
  })

  it('that finds nothing fails by name', () => {
    expect(() => resolveValue({ 'Fn::FindInMap': ['Sizes', 'big', 'mb'] }, scope)).toThrow('Sizes.big.mb')
    expect(() => resolveValue({ 'Fn::Select': [5, ['a']] }, scope)).toThrow('no element 5')
  })
})
