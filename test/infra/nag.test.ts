import { Queue } from 'aws-cdk-lib/aws-sqs'
import { expect, it } from 'vitest'
import { BackstopStack } from '../../infra/backstop-stack.ts'
import { nagPacks } from '../../infra/nag.ts'
import { exampleConfig } from './example.ts'
import { anApp } from './template.ts'

const issuer = { kind: 'oidc', issuer: 'https://id.example.com', audience: 'backstop' } as const

it.each([
  ['tokens of its own user pool', { auth: { kind: 'cognito' } }],
  ['tokens of another issuer', { auth: issuer }],
  ['traces', { tracing: true }],
] as const)('no rule of the packs finds anything that nobody gave a reason for, with %s', (_name, change) => {
  const app = anApp()
  const stack = new BackstopStack(app, 'Backstop-prod', { config: { ...exampleConfig(), ...change } })

  const violations = nagPacks(app).flatMap((pack) => pack.validateScope(stack).violations)

  expect(violations.map(({ ruleName, violatingResources }) => [ruleName, violatingResources])).toEqual([])
})

it('the rules do look: a queue without dead letters and TLS is found', () => {
  const app = anApp()
  const stack = new BackstopStack(app, 'Backstop-prod', { config: exampleConfig() })
  new Queue(stack, 'Careless')

  const found = nagPacks(app).flatMap((pack) => pack.validateScope(stack).violations.map(({ ruleName }) => ruleName))

  expect(found.sort()).toEqual(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy'])
})
