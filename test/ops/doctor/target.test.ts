import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { deployedTarget, localTarget, RUNNING_FILE } from '../../../ops/doctor/target.ts'
import { exampleConfig } from '../../infra/example.ts'

const folder = mkdtempSync(join(tmpdir(), 'backstop-target-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = exampleConfig()
const outputs = {
  Stage: 'prod',
  Region: 'eu-central-1',
  ApiUrl: 'https://pay.shop.com',
  LedgerTable: 'Ledger-1',
}
const described = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))

it.each([
  ['a map of key to value', outputs],
  ['what describe-stacks prints', { Stacks: [{ StackName: 'Backstop-prod', Outputs: described }] }],
  ['its outputs alone', described],
  ['what cdk deploy writes', { 'Backstop-prod': outputs }],
])('outputs are read from %s', (_form, value) => {
  expect(deployedTarget(JSON.stringify(value), config).outputs).toEqual(outputs)
})

it('the Region is that of the outputs, also behind a name of the merchant`s own, so that no other stack of the account is looked at', async () => {
  const { dynamodb, sqs, secretsManager } = deployedTarget(JSON.stringify(outputs), config)

  expect(await dynamodb.config.region()).toBe('eu-central-1')
  expect(await sqs.config.region()).toBe('eu-central-1')
  expect(await secretsManager.config.region()).toBe('eu-central-1')
})

it.each(['', 'no JSON', '[]', '{}', '{"ApiUrl":"https://example.com"}'])("'%s' names no stack", (text) => {
  expect(() => deployedTarget(text, config)).toThrow(expect.objectContaining({ code: 'NO_TARGET' }))
})

it('settings of another stage are not taken for those of the outputs', () => {
  expect(() => deployedTarget(JSON.stringify(outputs), { ...config, stage: 'staging' })).toThrow(
    'The outputs are of the stage prod, the settings of staging',
  )
})

it('where no stack runs it says how to start one', () => {
  expect(() => localTarget(join(folder, 'nothing'))).toThrow(/npm start/)
})

it('a stack that runs here is found by the file that it wrote, and its token beside it', () => {
  const running = { outputs, dynamodbEndpoint: 'http://127.0.0.1:1', gatewayUrl: 'http://127.0.0.1:2' }
  writeFileSync(join(folder, RUNNING_FILE), JSON.stringify(running))
  writeFileSync(join(folder, 'token'), 'a.b.c\n')

  expect(localTarget(folder)).toMatchObject({ config: { stage: 'local' }, outputs, token: 'a.b.c' })
})

it('a file of another form is said, not guessed at', () => {
  writeFileSync(join(folder, RUNNING_FILE), '{}')

  expect(() => localTarget(folder)).toThrow(expect.objectContaining({ code: 'NO_TARGET' }))
})
