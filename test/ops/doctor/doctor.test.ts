import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalApp, startApp } from '../../../local/world/app.ts'
import { dueShards } from '../../../modules/ledger/read/read-due.ts'
import { type Finding, lineOf } from '../../../ops/doctor/finding.ts'
import { runDoctor } from '../../../ops/doctor/run-doctor.ts'
import { localTargetAt, type Target } from '../../../ops/doctor/target.ts'
import { issueCertificate } from '../../channels/paypal/test-certificate.ts'

/** A synthesis and a start, on a machine whose cores are all taken. */
const START_MS = 120_000

const folder = mkdtempSync(join(tmpdir(), 'backstop-doctor-'))
let app: LocalApp
let target: Target

beforeAll(async () => {
  app = await startApp({ stateDir: join(folder, 'state') })
  const { gatewayUrl, dynamodbEndpoint, outputs } = app.stack
  const texts = Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, String(value)]))
  target = { ...localTargetAt({ gatewayUrl, dynamodbEndpoint, outputs: texts }), token: await app.token() }
}, START_MS)
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const faultsOf = (findings: readonly Finding[]) => findings.filter(({ state }) => state === 'fault')

/** What the doctor finds beside what it found before. */
async function examine(change: Partial<Target> = {}): Promise<readonly Finding[]> {
  return faultsOf(await runDoctor({ ...target, ...change }, app.clock.now()))
}

async function secretOf(channel: string, value: unknown): Promise<void> {
  const arns: Readonly<Record<string, string>> = JSON.parse(target.outputs['ChannelSecrets'] ?? '{}')
  await target.secretsManager.send(
    new PutSecretValueCommand({ SecretId: String(arns[channel]), SecretString: JSON.stringify(value) }),
  )
}

it('a stack that was just started has no fault, and everything was looked at', async () => {
  const findings = await runDoctor(target, app.clock.now())

  expect(faultsOf(findings)).toEqual([])
  const about = findings.map((finding) => finding.about)
  expect(about).toEqual(
    expect.arrayContaining([
      'clock',
      'API without a token',
      'API with a token',
      'secret of alipay',
      'secret that signs to the merchant',
      'ledger table',
      'gate table',
      'sweep',
      'QueueTasksLanemerchant',
      'DeadLettersSettlingCallbacks',
    ]),
  )
  for (const finding of findings) expect(lineOf(finding)).toMatch(/^[✓–] [^\n]+: [^\n]+$/)
})

it('a token that the API does not know is a fault', async () => {
  expect(await examine({ token: 'not.a.token' })).toMatchObject([
    { about: 'API with a token', seen: 'refused with 401' },
  ])
})

it('an address that lets everybody in is a fault', async () => {
  const { url } = app.merchant
  const found = await examine({ outputs: { ...target.outputs, ApiUrl: url } })

  expect(found.map(({ about }) => about)).toContain('API without a token')
})

it('an address where nothing answers is a fault of each check that asks it, and hides no other', async () => {
  const found = await examine({ outputs: { ...target.outputs, ApiUrl: 'http://127.0.0.1:9' } })

  expect(found.map(({ about }) => about)).toEqual(['clock', 'API without a token', 'API with a token'])
})

it('without a token it says that it did not try one', async () => {
  const { token: _token, ...without } = target
  const findings = await runDoctor(without, app.clock.now())

  expect(findings.find(({ about }) => about === 'API with a token')?.state).toBe('not checked')
})

it('a message in a dead-letter queue is a fault, with the queue and the number', async () => {
  const QueueUrl = target.outputs['DeadLettersTasksLanemerchant']
  await target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }))

  expect(await examine()).toMatchObject([{ about: 'DeadLettersTasksLanemerchant', seen: '1 waiting, 0 in hand' }])
  await target.sqs.send(new PurgeQueueCommand({ QueueUrl }))
})

it('a queue that is not there is a fault', async () => {
  const url = String(target.outputs['QueueTasksLanemerchant']).replace(/[^/]+$/, 'no-such-queue')
  const found = await examine({ outputs: { ...target.outputs, QueueTasksLanemerchant: url } })

  expect(found.map(({ about }) => about)).toEqual(['QueueTasksLanemerchant'])
})

it('a table that is not there is a fault of everything that reads it', async () => {
  const found = await examine({ outputs: { ...target.outputs, LedgerTable: 'no-such-table' } })

  expect(found.map(({ about }) => about)).toEqual(['ledger table', 'sweep'])
})

it('a due row that the sweep passes by is a fault, since when', async () => {
  const { clock } = app
  const dueAt = new Date(clock.now() - 3_600_000).toISOString()
  await target.dynamodb.send(
    new PutItemCommand({
      TableName: target.outputs['LedgerTable'],
      Item: {
        pk: { S: 'ORDER#DOCTOR' },
        sk: { S: 'TASK#not-of-its-schema' },
        duePk: { S: String(dueShards[0]) },
        dueAt: { S: dueAt },
      },
    }),
  )

  expect(await examine()).toMatchObject([{ about: 'sweep', seen: `a row has waited for it since ${dueAt}` }])
  await target.dynamodb.send(
    new DeleteItemCommand({
      TableName: target.outputs['LedgerTable'],
      Key: { pk: { S: 'ORDER#DOCTOR' }, sk: { S: 'TASK#not-of-its-schema' } },
    }),
  )
})

it('a secret of a wrong form is a fault that names the field and never the value', async () => {
  await secretOf('stripe', { signingSecrets: ['sk_live_planted_in_the_wrong_field'] })

  const found = await examine()

  expect(found).toMatchObject([{ about: 'secret of stripe', seen: expect.stringContaining("'signingSecrets'") }])
  expect(found.map(lineOf).join()).not.toContain('planted')
  await secretOf('stripe', JSON.parse(String(app.simulators.secrets['stripe'])))
})

it('a secret without the keys for asking is said, and is no fault: callbacks do not need them', async () => {
  await secretOf('stripe', { signingSecrets: ['whsec_of_a_webhook_alone'] })

  const findings = await runDoctor(target, app.clock.now())

  expect(faultsOf(findings)).toEqual([])
  expect(findings).toContainEqual(expect.objectContaining({ about: 'questions to stripe', state: 'not checked' }))
  await secretOf('stripe', JSON.parse(String(app.simulators.secrets['stripe'])))
})

it.each([
  ['long before its end', '2030-01-01', []],
  ['within a month of its end', '2035-12-20', [expect.stringContaining('expires soon')]],
  ['after its end', '2036-02-01', [expect.stringContaining('expired')]],
  ['before its beginning', '2025-06-01', [expect.stringContaining('not in force yet')]],
])('a certificate in a secret is judged %s', async (_moment, day, faults) => {
  const original: unknown = JSON.parse(String(app.simulators.secrets['alipay']))
  const { pem } = issueCertificate({ name: 'alipay', from: '20260101000000Z', to: '20360101000000Z' })
  await secretOf('alipay', { ...Object(original), alipayPublicKeys: [pem] })

  const findings = await runDoctor(target, Date.parse(day))

  const judged = findings.filter(({ about }) => about === 'certificate of alipay')
  expect(judged).toHaveLength(1)
  expect(faultsOf(judged).map(({ seen }) => seen)).toEqual(faults)
  await secretOf('alipay', original)
})
