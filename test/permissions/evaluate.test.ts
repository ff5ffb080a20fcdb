import { describe, expect, it } from 'vitest'
import { evaluate } from './evaluate.ts'
import { identityPolicy, resourcePolicy } from './policy.ts'

const ARN = 'arn:aws:sqs:us-east-1:000000000000:lane'

const policyOf = (...statements: object[]) => identityPolicy.parse({ Version: '2012-10-17', Statement: statements })
const allow = (more: object = {}) => ({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: ARN, ...more })
const deny = (more: object = {}) => ({ ...allow(more), Effect: 'Deny' })

const decide = (statements: object[], request: object = {}, resource: object[] = []) =>
  evaluate(
    { action: 'sqs:SendMessage', resource: ARN, context: {}, ...request },
    { identity: policyOf(...statements), resource: resourcePolicy.parse({ Statement: resource }) },
  )

describe('what is allowed', () => {
  it('is what a statement names', () => {
    expect(decide([allow()])).toBe('allowed')
  })

  it('is no other action, no other resource, and nothing without a statement', () => {
    expect(decide([allow()], { action: 'sqs:DeleteMessage' })).toBe('not allowed')
    expect(decide([allow()], { resource: `${ARN}2` })).toBe('not allowed')
    expect(decide([])).toBe('not allowed')
  })

  it('is what a pattern fits, over slashes and in the case of ARNs', () => {
    expect(decide([allow({ Resource: 'arn:aws:sqs:*:lan?' })])).toBe('allowed')
    expect(decide([allow({ Resource: ARN.toUpperCase() })])).toBe('not allowed')
    expect(decide([allow({ Resource: `${ARN}/*` })])).toBe('not allowed')
    expect(decide([allow({ Resource: `${ARN}/*` })], { resource: `${ARN}/a/b` })).toBe('allowed')
    expect(decide([allow({ Action: 'SQS:send*' })])).toBe('allowed')
    expect(decide([allow({ Resource: ARN.replace('lane', 'l.ne') })])).toBe('not allowed')
  })
})

describe('a denial', () => {
  it('beats an allowance, whichever comes first', () => {
    expect(decide([allow(), deny()])).toBe('denied')
    expect(decide([deny(), allow()])).toBe('denied')
  })

  it('counts also when the policy of the resource has it', () => {
    const tlsOnly = { ...deny({ Action: 'sqs:*' }), Principal: { AWS: '*' }, Condition: secure('false') }

    expect(decide([allow()], { context: { 'aws:SecureTransport': 'false' } }, [tlsOnly])).toBe('denied')
    expect(decide([allow()], { context: { 'aws:SecureTransport': 'true' } }, [tlsOnly])).toBe('allowed')
  })
})

describe('a condition', () => {
  const passes = (Condition: object, context: object) => decide([allow({ Condition })], { context }) === 'allowed'

  it('holds for the value that it names, and never for a key that the request lacks', () => {
    const passed = { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } }

    expect(passes(passed, { 'iam:PassedToService': 'scheduler.amazonaws.com' })).toBe(true)
    expect(passes(passed, { 'iam:PassedToService': 'lambda.amazonaws.com' })).toBe(false)
    expect(passes(passed, {})).toBe(false)
  })

  it('of several keys holds when all do, of several values when one does', () => {
    const both = { StringEquals: { a: ['1', '2'], b: '3' } }

    expect(passes(both, { a: '2', b: '3' })).toBe(true)
    expect(passes(both, { a: '2', b: '4' })).toBe(false)
  })

  it('finds a key in any case, and a pattern only under an operator for patterns', () => {
    expect(passes({ ArnLike: { 'aws:SourceArn': 'arn:aws:events:*' } }, { 'aws:sourcearn': 'arn:aws:events:x' })).toBe(
      true,
    )
    expect(passes({ StringEquals: { a: 'x*' } }, { a: 'xy' })).toBe(false)
  })

  it('of an unknown operator is refused', () => {
    expect(() => decide([allow({ Condition: { NumericLessThan: { a: '1' } } })])).toThrow(/NumericLessThan/)
  })
})

describe('an element that is not known', () => {
  it.each([
    ['NotAction', { NotAction: 'sqs:*' }],
    ['NotResource', { NotResource: ARN }],
    ['Principal in a policy of a role', { Principal: '*' }],
    ['an Effect', { Effect: 'Maybe' }],
  ])('%s is refused', (_name, more) => {
    expect(() => policyOf(allow(more))).toThrow()
  })
})

function secure(value: string) {
  return { Bool: { 'aws:SecureTransport': value } }
}
