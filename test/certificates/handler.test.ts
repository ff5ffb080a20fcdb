import { createServer } from 'node:http'
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { ScheduledEvent } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { listenOnLoopback } from '../../local/host/runtime/listen.ts'
import { NOW_MS } from '../channels/client-setup.ts'
import { aPlatform, listed, listSignedBy } from '../channels/wechatpay/listed-certificates.ts'
import { CLIENT_SECRET, PRIVATE_PEM } from '../channels/wechatpay/signed-answer.ts'
import { ACCOUNT, SERIAL } from '../channels/wechatpay/signed-notice.ts'
import { aContext } from '../support/context.ts'

const PLATFORM = aPlatform()
const GENUINE = listSignedBy({ serial: SERIAL, privateKey: PRIVATE_PEM }, listed(PLATFORM))
const secrets = mockClient(SecretsManagerClient)
const event: ScheduledEvent = Object.create(null)
const wechat = createServer((request, response) => {
  if (GENUINE.kind !== 'answer' || request.url?.startsWith('/down') === true)
    return void response.writeHead(500).end('{}')
  response.writeHead(GENUINE.status, GENUINE.headers).end(GENUINE.body)
})
const base = await listenOnLoopback(wechat, 0)
let written = ''

beforeEach(() => {
  written = ''
  vi.resetModules()
  vi.spyOn(Date, 'now').mockReturnValue(NOW_MS)
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk)
    return true
  })
  secrets.on(GetSecretValueCommand).resolves({ SecretString: CLIENT_SECRET })
  secrets.on(PutSecretValueCommand).resolves({})
})
afterEach(() => {
  secrets.reset()
  vi.restoreAllMocks()
})

async function refresh(endpoints: Readonly<Record<string, string>>): Promise<void> {
  const ids = Object.keys(endpoints)
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    CHANNELS: JSON.stringify(ids.map((id) => ({ ...ACCOUNT, id }))),
    CHANNEL_SECRETS: JSON.stringify(Object.fromEntries(ids.map((id) => [id, `arn:${id}`]))),
    CHANNEL_ENDPOINTS: JSON.stringify(endpoints),
  })
  const { handler } = await import('../../functions/certificates/handler.ts')
  await handler(event, aContext('certificates'))
}

const lines = () =>
  written
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
const puts = () => secrets.commandCalls(PutSecretValueCommand).map(({ args }) => args[0].input)

it('what is fetched is written into the secret of its account', async () => {
  await refresh({ one: base })

  expect(puts()).toEqual([{ SecretId: 'arn:one', SecretString: expect.stringContaining(PLATFORM.serial) }])
  expect(lines()).toMatchObject([{ level: 'INFO', channel: 'one', result: 'written' }])
})

it('an account that fails does not stop the other, is logged with its code, and fails the invocation', async () => {
  await expect(refresh({ bad: `${base}/down`, good: base })).rejects.toMatchObject({
    code: 'REFRESH_FAILED',
    message: expect.stringContaining('bad'),
  })

  expect(puts().map(({ SecretId }) => SecretId)).toEqual(['arn:good'])
  expect(lines().find(({ channel }) => channel === 'bad')).toMatchObject({ level: 'ERROR', code: 'HTTP_500' })
})

it('a secret that was never filled is left alone, and no error', async () => {
  const name = 'ResourceNotFoundException'
  secrets.on(GetSecretValueCommand).rejects(Object.assign(new Error(name), { name }))

  await refresh({ one: base })

  expect(lines()).toMatchObject([{ level: 'INFO', channel: 'one', result: 'empty' }])
})

it('a secret that cannot be read, or is not of its form, fails the invocation and is not written', async () => {
  secrets.on(GetSecretValueCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDeniedException' }))
  await expect(refresh({ one: base })).rejects.toMatchObject({ code: 'REFRESH_FAILED' })
  secrets.on(GetSecretValueCommand).resolves({ SecretString: '{"apiV3Keys":["short"]}' })
  await expect(refresh({ one: base })).rejects.toMatchObject({ code: 'REFRESH_FAILED' })

  expect(lines()).toMatchObject([{ error: 'AccessDeniedException' }, { code: 'KEY_FORMAT' }])
  expect(puts()).toEqual([])
})
