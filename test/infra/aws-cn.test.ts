import { expect, it } from 'vitest'
import { resourcesOf, synthesize } from './template.ts'

// As a merchant in a Region of China has it, where Cognito's user pools cannot give tokens for this (docs/deploy.md).
const auth = { kind: 'oidc', issuer: 'https://id.example.cn/realms/shop', audience: 'backstop' } as const
const template = synthesize('prod', { auth })

const texts = textsOf(template)

it('every ARN takes its partition from where it is deployed', () => {
  const literal = texts.filter((text) => /\barn:/.test(text))

  expect(literal.length).toBeGreaterThan(0)
  expect(literal.filter((text) => !text.endsWith('arn:'))).toEqual([])
  expect(followersOf(template, /arn:$/)).toEqual(new Set(['{"Ref":"AWS::Partition"}']))
})

it('no address of AWS is written out: what ends in amazonaws.com is the name of a service in a policy', () => {
  const names = new Set(texts.filter((text) => text.includes('amazonaws.com')))

  expect([...names].sort()).toEqual([
    'apigateway.amazonaws.com',
    'cloudwatch.amazonaws.com',
    'events.amazonaws.com',
    'lambda.amazonaws.com',
    'scheduler.amazonaws.com',
  ])
})

it('with an issuer of the merchant`s own there is no user pool, and every route but the callbacks` asks that issuer', () => {
  const [authorizer, ...others] = resourcesOf(template, 'AWS::ApiGatewayV2::Authorizer')
  const open = resourcesOf(template, 'AWS::ApiGatewayV2::Route').filter(
    ({ Properties }) => Properties['AuthorizationType'] !== 'JWT',
  )

  expect(Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::Cognito'))).toEqual([])
  expect(Object.keys(template.Outputs)).not.toContain('TokenUrl')
  expect(others).toEqual([])
  expect(authorizer?.Properties['JwtConfiguration']).toEqual({ Audience: [auth.audience], Issuer: auth.issuer })
  expect(open.map(({ Properties }) => Properties['RouteKey'])).toEqual(['POST /callbacks/{channel}'])
})

/** Every text in a value, keys left out. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : []
}

/** What stands after a text in a list, as in the parts of `Fn::Join`. */
function followersOf(value: unknown, pattern: RegExp): Set<string> {
  if (value === null || typeof value !== 'object') return new Set()
  const own = Array.isArray(value) ? value.filter((_, at) => at > 0 && pattern.test(String(value[at - 1]))) : []
  const inner = Object.values(value).flatMap((member) => [...followersOf(member, pattern)])
  return new Set([...own.map((one) => JSON.stringify(one)), ...inner])
}
