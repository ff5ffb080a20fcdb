import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  paginateListSecrets,
  RotateSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  openSecretsManager,
  type SecretsManager,
} from '../../../../local/engines/secrets-manager/open-secrets-manager.ts'
import { serveEngine } from '../s3/serve-engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-secrets-'))
const clock = { now: () => Date.parse('2026-11-30T10:00:00Z'), onLeap: () => {} }
const arn = (name: string) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`
let secrets: SecretsManager
let server: Awaited<ReturnType<typeof serveEngine>>
let client: SecretsManagerClient

async function open(): Promise<void> {
  secrets = openSecretsManager({ path: join(dir, 'secrets.sqlite'), clock })
  server = await serveEngine(secrets)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  client = new SecretsManagerClient({ endpoint: server.url, region: 'us-east-1', credentials })
}
async function close(): Promise<void> {
  client.destroy()
  await server.close()
  secrets.close()
}

beforeAll(open)
afterAll(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

const get = (SecretId: string, rest: object = {}) => client.send(new GetSecretValueCommand({ SecretId, ...rest }))
const put = (SecretId: string, SecretString: string, rest: object = {}) =>
  client.send(new PutSecretValueCommand({ SecretId, SecretString, ...rest }))

it('a secret is read by name and by ARN', async () => {
  await client.send(new CreateSecretCommand({ Name: 'channels/alipay', SecretString: 'key' }))

  const read = await Promise.all([get('channels/alipay'), get(arn('channels/alipay'))])

  expect(read[0]).toMatchObject({
    ARN: arn('channels/alipay'),
    Name: 'channels/alipay',
    SecretString: 'key',
    VersionStages: ['AWSCURRENT'],
    CreatedDate: new Date('2026-11-30T10:00:00Z'),
  })
  expect(read[1].VersionId).toBe(read[0].VersionId)
})

it('a new value becomes current and the one before it stays readable as previous', async () => {
  await client.send(new CreateSecretCommand({ Name: 'rotating', SecretString: 'one' }))
  await put('rotating', 'two')
  const { VersionId } = await put('rotating', 'three')

  const current = await get('rotating')
  const previous = await get('rotating', { VersionStage: 'AWSPREVIOUS' })
  const described = await client.send(new DescribeSecretCommand({ SecretId: 'rotating' }))

  expect([current.SecretString, previous.SecretString]).toEqual(['three', 'two'])
  expect(described.VersionIdsToStages).toEqual({
    [String(VersionId)]: ['AWSCURRENT'],
    [String(previous.VersionId)]: ['AWSPREVIOUS'],
  })
})

it('a value put as pending leaves the current one in place', async () => {
  await client.send(new CreateSecretCommand({ Name: 'pending', SecretString: 'one' }))

  await put('pending', 'two', { VersionStages: ['AWSPENDING'] })

  const pending = await get('pending', { VersionStage: 'AWSPENDING' })
  expect([(await get('pending')).SecretString, pending.SecretString]).toEqual(['one', 'two'])
})

it('a token repeats a write once and refuses another value', async () => {
  const ClientRequestToken = 't'.repeat(32)
  await client.send(new CreateSecretCommand({ Name: 'token', SecretString: 'one' }))
  await put('token', 'two', { ClientRequestToken })
  await put('token', 'two', { ClientRequestToken })

  const other = put('token', 'three', { ClientRequestToken })

  await expect(other).rejects.toMatchObject({ name: 'ResourceExistsException' })
  expect((await get('token', { VersionStage: 'AWSPREVIOUS' })).SecretString).toBe('one')
})

it('a secret that was never filled is not found, and says which stage is missing', async () => {
  await client.send(new CreateSecretCommand({ Name: 'empty' }))

  await expect(get('empty')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
  })
  await expect(get('absent')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret.",
  })
})

it('a name is taken once', async () => {
  await client.send(new CreateSecretCommand({ Name: 'taken', SecretString: 'one' }))

  const again = client.send(new CreateSecretCommand({ Name: 'taken', SecretString: 'one' }))

  await expect(again).rejects.toMatchObject({ name: 'ResourceExistsException' })
})

it('bytes come back as they were put', async () => {
  const SecretBinary = new Uint8Array([0, 255, 128])

  await client.send(new CreateSecretCommand({ Name: 'bytes', SecretBinary }))

  const read = await get('bytes')
  expect(read.SecretBinary).toEqual(SecretBinary)
  expect(read.SecretString).toBeUndefined()
})

it('the host makes and fills secrets in the process', async () => {
  secrets.create('host')
  secrets.create('host')
  const putArn = secrets.put('host', 'filled')
  secrets.put('host-2', 'at once')

  expect(putArn).toBe(arn('host'))
  expect([(await get('host')).SecretString, (await get('host-2')).SecretString]).toEqual(['filled', 'at once'])
})

it('a listing names every secret once, over pages', async () => {
  const names: (string | undefined)[] = []
  for (const name of ['list-1', 'list-2', 'list-3']) secrets.put(name, 'x')

  for await (const page of paginateListSecrets({ client, pageSize: 2 }, {})) {
    names.push(...(page.SecretList ?? []).map((secret) => secret.Name))
  }

  expect(names).toEqual(expect.arrayContaining(['list-1', 'list-2', 'list-3']))
  expect(new Set(names).size).toBe(names.length)
})

it('an operation that is not there says so', async () => {
  const rotate = client.send(new RotateSecretCommand({ SecretId: 'host', ClientRequestToken: 't'.repeat(32) }))

  await expect(rotate).rejects.toMatchObject({ name: 'UnknownOperationException' })
})

it('secrets outlive a restart in files that only their owner can read', async () => {
  secrets.put('kept', 'still here')
  const modes = readdirSync(dir).map((name) => (statSync(join(dir, name)).mode & 0o777).toString(8))
  await close()
  await open()

  expect((await get('kept')).SecretString).toBe('still here')
  expect(new Set(modes)).toEqual(new Set(['600']))
})
