import { readFileSync } from 'node:fs'
import { Stack } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { anApp, resourcesOf, synthesize } from './template.ts'

const template = synthesize('prod')

const keptTypes = [
  'AWS::DynamoDB::GlobalTable',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::Cognito::UserPool',
  'AWS::Logs::LogGroup',
]

const keyed = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
const tableSchema = z.object({
  KeySchema: keyed,
  GlobalSecondaryIndexes: z
    .array(z.object({ IndexName: z.string(), KeySchema: keyed, Projection: z.object({ ProjectionType: z.string() }) }))
    .default([]),
  StreamSpecification: z.object({ StreamViewType: z.string() }).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
  BillingMode: z.string(),
  Replicas: z.array(
    z.object({
      DeletionProtectionEnabled: z.boolean(),
      PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.boolean() }),
    }),
  ),
})
const tables = new Map(
  resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(({ id, Properties }) => [
    id.replace(/Table[0-9A-F]{8}$/, ''),
    tableSchema.parse(Properties),
  ]),
)
const codeKeysId = resourcesOf(template, 'AWS::SecretsManager::Secret').find(
  ({ Properties }) => 'GenerateSecretString' in Properties,
)?.id
const attributeOf = (schema: z.output<typeof keyed>, type: string) =>
  schema.find(({ KeyType }) => KeyType === type)?.AttributeName

it('tables, bucket, secrets, users and logs outlive the stack and a replacement, and not a first deploy that failed', () => {
  const kept = keptTypes.flatMap((type) => resourcesOf(template, type))

  expect(new Set(kept.map(({ Type }) => Type))).toEqual(new Set(keptTypes))
  for (const { id, DeletionPolicy, UpdateReplacePolicy } of kept) {
    expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'RetainExceptOnCreate', 'Retain'])
  }
})

it('acknowledged callbacks outlive the stack in their queue and its dead letters; triggers do not', () => {
  const kept = resourcesOf(template, 'AWS::SQS::Queue').filter(({ DeletionPolicy }) => DeletionPolicy !== 'Delete')

  expect(kept.map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
    'SettlingCallbacksDeadLettersQueue',
    'SettlingCallbacksQueue',
  ])
  for (const { DeletionPolicy } of kept) expect(DeletionPolicy).toBe('RetainExceptOnCreate')
})

it('nothing that is kept has a fixed name, which would block the next deploy', () => {
  const named = Object.entries(template.Resources)
    .filter(([, { DeletionPolicy, UpdateReplacePolicy }]) => [DeletionPolicy, UpdateReplacePolicy].includes('Retain'))
    .flatMap(([id, { Properties }]) => Object.keys(Properties).map((property) => `${id}.${property}`))
    .filter((property) => /\.(\w*Name|Name)$/.test(property))

  expect(named).toEqual([])
})

it('both tables are on demand, protected from deletion, and can be restored to any second', () => {
  expect([...tables.keys()].sort()).toEqual(['Gate', 'Ledger'])
  for (const [name, table] of tables) {
    expect(table.BillingMode, name).toBe('PAY_PER_REQUEST')
    expect(table.Replicas, name).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ])
  }
})

it('the ledger has pk and sk, a stream of both images, and expires only what says so', () => {
  const ledger = tables.get('Ledger')

  expect(ledger?.KeySchema.map(({ AttributeName }) => AttributeName)).toEqual(['pk', 'sk'])
  expect(ledger?.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' })
  expect(ledger?.TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAtS', Enabled: true })
})

it('the gate is keyed by lane and has no stream', () => {
  const gate = tables.get('Gate')

  expect(gate?.KeySchema.map(({ AttributeName }) => AttributeName)).toEqual(['lane'])
  expect(gate?.StreamSpecification).toBeUndefined()
})

it('the indexes are those of the committed list: one deploy can change one index only', () => {
  const indexes = Object.fromEntries(
    [...tables].map(([name, table]) => [
      name,
      Object.fromEntries(
        table.GlobalSecondaryIndexes.map((index) => [
          index.IndexName,
          {
            hash: attributeOf(index.KeySchema, 'HASH'),
            range: attributeOf(index.KeySchema, 'RANGE'),
            projection: index.Projection.ProjectionType,
          },
        ]),
      ),
    ]),
  )

  expect(indexes).toEqual(JSON.parse(readFileSync(new URL('indexes.json', import.meta.url), 'utf8')))
})

it('no index has a status or a type as its partition: keys are sharded by the writer', () => {
  const partitions = [...tables.values()].flatMap((table) =>
    table.GlobalSecondaryIndexes.map((index) => attributeOf(index.KeySchema, 'HASH')),
  )

  expect(partitions).toEqual(['duePk', 'findPk'])
})

it('callbacks in the bucket are versioned, private, encrypted, and never expire', () => {
  const [bucket] = resourcesOf(template, 'AWS::S3::Bucket')

  expect(bucket?.Properties['VersioningConfiguration']).toEqual({ Status: 'Enabled' })
  expect(bucket?.Properties['LifecycleConfiguration']).toBeUndefined()
  expect(bucket?.Properties['BucketEncryption']).toBeDefined()
  expect(bucket?.Properties['PublicAccessBlockConfiguration']).toEqual({
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  })
})

it('secrets are made empty: no value stands in the template, and a deploy overwrites none', () => {
  const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret').filter(({ id }) => id !== codeKeysId)

  expect(secrets).toHaveLength(7)
  for (const { id, Properties } of secrets) expect(Object.keys(Properties), id).toEqual(['Description', 'Tags'])
})

it('the key of card codes is generated by the first deploy and stands in no template', () => {
  const codeKeys = resourcesOf(template, 'AWS::SecretsManager::Secret').find(({ id }) => id === codeKeysId)

  expect(codeKeys?.Properties).toEqual({
    Description: expect.any(String),
    // Changed, this would make a deploy generate another key: no code could be read any more.
    GenerateSecretString: {
      SecretStringTemplate: '{"id":"k1","previous":[]}',
      GenerateStringKey: 'key',
      PasswordLength: 64,
      ExcludePunctuation: true,
    },
    Tags: [{ Key: 'backstop-stage', Value: 'prod' }],
  })
})

it('no output is exported to another stack', () => {
  const exported = Object.values(template.Outputs).filter((output) => 'Export' in output)

  expect(exported).toEqual([])
})

it('synth refuses resources that wait for each other', () => {
  const app = anApp()
  const stack = new Stack(app, 'Probe')
  const [first, second] = [new Topic(stack, 'First'), new Topic(stack, 'Second')]
  first.node.addDependency(second)
  second.node.addDependency(first)

  expect(() => app.synth()).toThrow(/circular dependency/i)
})
