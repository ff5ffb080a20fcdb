import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import { AwsJsonError, type Operation, operation, serveAwsJson } from '../wire/aws-json.ts'
import { moveStages } from './move-stages.ts'
import { openSecretStore, type SecretStore, type SecretVersion, type StoredSecret } from './secret-store.ts'

/** Secrets Manager on this machine. */
export interface SecretsManager extends Engine {
  /** Makes a secret without a value, unless it is there; reading it answers ResourceNotFoundException. @returns its ARN */
  create(name: string, description?: string): string
  /** Makes `value` the current value of a secret, which is made when missing. @returns its ARN */
  put(name: string, value: string): string
}

const arnPrefix = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:'
const maxValueBytes = 65_536

const secretId = z.string().min(1).max(2_048)
const token = z.string().min(32).max(64).optional()
const value = { SecretString: z.string().optional(), SecretBinary: z.base64().optional() }
const schemas = {
  create: z.object({
    Name: z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/),
    Description: z.string().max(2_048).optional(),
    ClientRequestToken: token,
    ...value,
  }),
  get: z.object({ SecretId: secretId, VersionId: z.string().optional(), VersionStage: z.string().optional() }),
  put: z.object({
    SecretId: secretId,
    ClientRequestToken: token,
    VersionStages: z.array(z.string()).min(1).max(20).optional(),
    ...value,
  }),
  describe: z.object({ SecretId: secretId }),
  list: z.object({ MaxResults: z.int().min(1).max(100).default(100), NextToken: z.string().optional() }),
}

/** Opens the secrets kept in the SQLite file at `path`, unencrypted and readable by its owner only. */
export function openSecretsManager({ path, clock }: { path: string; clock: Clock }): SecretsManager {
  const store = openSecretStore(path)
  const operations = makeOperations(store, clock)
  return {
    handle: (request, response) => serveAwsJson(operations, request, response),
    nextDueAt: () => undefined,
    close: () => store.close(),
    create(name, description) {
      if (!store.find(name)) store.save(newSecret(clock, name, description), [])
      return arnPrefix + name
    },
    put(name, text) {
      addVersion(store, clock, store.find(name) ?? newSecret(clock, name), { SecretString: text })
      return arnPrefix + name
    },
  }
}

function makeOperations(store: SecretStore, clock: Clock): Record<string, Operation> {
  return {
    CreateSecret: operation(schemas.create, (input) => createSecret(store, clock, input)),
    PutSecretValue: operation(schemas.put, (input) => {
      const secret = requireSecret(store, input.SecretId)
      const version = addVersion(store, clock, secret, input)
      return { ...nameOf(secret), VersionId: version.versionId, VersionStages: version.stages }
    }),
    GetSecretValue: operation(schemas.get, (input) => {
      const secret = requireSecret(store, input.SecretId)
      const version = requireVersion(store.versions(secret.name), input)
      return {
        ...nameOf(secret),
        VersionId: version.versionId,
        SecretString: version.text,
        SecretBinary: version.bytes,
        VersionStages: version.stages,
        CreatedDate: version.createdMs / 1000,
      }
    }),
    DescribeSecret: operation(schemas.describe, (input) => {
      const secret = requireSecret(store, input.SecretId)
      return { ...describe(secret), VersionIdsToStages: stagesByVersion(store.versions(secret.name)) }
    }),
    ListSecrets: operation(schemas.list, ({ MaxResults, NextToken = '' }) => {
      const found = store.list(NextToken, MaxResults + 1)
      const page = found.slice(0, MaxResults)
      const SecretList = page.map((secret) => ({
        ...describe(secret),
        SecretVersionsToStages: stagesByVersion(store.versions(secret.name)),
      }))
      return { SecretList, NextToken: found.length > MaxResults ? page.at(-1)?.name : undefined }
    }),
  }
}

function createSecret(store: SecretStore, clock: Clock, input: z.infer<typeof schemas.create>): object {
  const existing = store.find(input.Name)
  const hasValue = input.SecretString !== undefined || input.SecretBinary !== undefined
  const isReplay = () => store.versions(input.Name).some((one) => one.versionId === input.ClientRequestToken)
  if (existing && !(hasValue && isReplay())) {
    const message = `The operation failed because the secret ${input.Name} already exists.`
    throw new AwsJsonError('ResourceExistsException', message)
  }
  const secret = existing ?? newSecret(clock, input.Name, input.Description)
  if (hasValue) return { ...nameOf(secret), VersionId: addVersion(store, clock, secret, input).versionId }
  store.save(secret, [])
  return nameOf(secret)
}

function newSecret(clock: Clock, name: string, description?: string): StoredSecret {
  return { name, description, createdMs: clock.now(), changedMs: clock.now() }
}

function nameOf({ name }: StoredSecret): { ARN: string; Name: string } {
  return { ARN: arnPrefix + name, Name: name }
}

interface NewValue {
  SecretString?: string | undefined
  SecretBinary?: string | undefined
  ClientRequestToken?: string | undefined
  VersionStages?: string[] | undefined
}

function addVersion(store: SecretStore, clock: Clock, secret: StoredSecret, input: NewValue): SecretVersion {
  const { SecretString: text, SecretBinary: bytes } = input
  if ((text === undefined) === (bytes === undefined)) {
    throw new AwsJsonError('InvalidParameterException', 'You must provide either SecretString or SecretBinary.')
  }
  if (Buffer.byteLength(text ?? '') > maxValueBytes || Buffer.from(bytes ?? '', 'base64').length > maxValueBytes) {
    throw new AwsJsonError('ValidationException', `A secret value has at most ${maxValueBytes} bytes.`)
  }
  const existing = store.versions(secret.name)
  const versionId = input.ClientRequestToken ?? randomUUID()
  const replayed = existing.find((version) => version.versionId === versionId)
  if (replayed && replayed.text === text && replayed.bytes === bytes) return replayed
  if (replayed) {
    const message = 'You can not use the same ClientRequestToken for another value: a version is never changed.'
    throw new AwsJsonError('ResourceExistsException', message)
  }
  const wanted = input.VersionStages ?? ['AWSCURRENT']
  // The first value is current, whatever stages it asks for.
  const stages = existing.length > 0 ? wanted : [...new Set([...wanted, 'AWSCURRENT'])]
  const added = { versionId, text, bytes, stages, createdMs: clock.now() }
  store.save({ ...secret, changedMs: clock.now() }, moveStages(existing, added))
  return added
}

function requireSecret(store: SecretStore, id: string): StoredSecret {
  const secret = store.find(id.startsWith(arnPrefix) ? id.slice(arnPrefix.length) : id)
  if (!secret) throw new AwsJsonError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
  return secret
}

function requireVersion(versions: SecretVersion[], wanted: z.infer<typeof schemas.get>): SecretVersion {
  const stage = wanted.VersionStage ?? (wanted.VersionId === undefined ? 'AWSCURRENT' : undefined)
  const version = versions.find(
    (one) =>
      (wanted.VersionId === undefined || one.versionId === wanted.VersionId) &&
      (stage === undefined || one.stages.includes(stage)),
  )
  if (version) return version
  const which = wanted.VersionId === undefined ? `staging label: ${stage}` : `VersionId: ${wanted.VersionId}`
  const message = `Secrets Manager can't find the specified secret value for ${which}`
  throw new AwsJsonError('ResourceNotFoundException', message)
}

function describe(secret: StoredSecret): object {
  const dates = { CreatedDate: secret.createdMs / 1000, LastChangedDate: secret.changedMs / 1000 }
  return { ...nameOf(secret), Description: secret.description, ...dates }
}

/** Versions without a stage are deprecated and not named. */
function stagesByVersion(versions: SecretVersion[]): Record<string, string[]> {
  const staged = versions.filter((version) => version.stages.length > 0)
  return Object.fromEntries(staged.map((version) => [version.versionId, version.stages]))
}
