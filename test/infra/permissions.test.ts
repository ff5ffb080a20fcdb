import { expect, it } from 'vitest'
import { readBundle } from './bundle.ts'
import { referredId, resourcesOf, type Statement, statementsOf, synthesize } from './template.ts'

const template = synthesize('prod')
const statements = statementsOf(template, 'AWS::IAM::Policy')

/** The only actions that are allowed on every resource, in a stage that is traced, each with the reason. */
const unbounded: Record<string, string> = {
  'xray:PutTraceSegments': 'a trace is no resource: IAM knows no narrower one for it',
  'xray:PutTelemetryRecords': 'likewise',
}

/** Resource patterns that end in a wildcard below one resource of ours. */
const bounded = [
  { actions: ['s3:PutObject', 's3:GetObject'], suffix: '/*' },
  { actions: ['dynamodb:ListStreams'], suffix: '/stream/*' },
  { actions: ['scheduler:CreateSchedule'], suffix: '/t.*' },
]

/** What Lambda itself does with a function's role, and the hand-over of the scheduler's role: no command of ours. */
const ofTheService =
  /^(logs|xray):|^iam:PassRole$|^sqs:(Receive|Delete|Change|Get)|^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/

const actionsOf = (construct: string) =>
  statements
    .filter(({ policyId }) => policyId.startsWith(construct))
    .flatMap(({ Action, Resource = [] }) =>
      Resource.flatMap((resource) => Action.map((action) => ({ action, on: targetOf(resource) }))),
    )

/** `Ledger`, `Ledger/index/due`: the construct's own name and what follows its ARN. */
function targetOf(resource: unknown): string {
  const text = JSON.stringify(resource)
  const id = /"(?:Ref|Fn::GetAtt)":\[?"([A-Za-z0-9]+)"/.exec(text)?.[1] ?? text
  const suffix = /"(\/[^"]*)"/.exec(text)?.[1] ?? ''
  return id.replace(/[0-9A-F]{8}$/, '') + suffix
}

const endsOf = (statement: Statement) =>
  (statement.Resource ?? []).flatMap((resource) => wildcardOf(JSON.stringify(resource)) ?? [])

function wildcardOf(resource: string): string | undefined {
  return /"([^"]*\*[^"]*)"/.exec(resource)?.[1]
}

it('no policy allows a pattern of actions', () => {
  expect(statements.length).toBeGreaterThan(20)
  const all = ['AWS::IAM::Policy', 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy', 'AWS::S3::BucketPolicy'].flatMap(
    (type) => statementsOf(template, type),
  )

  const patterns = all.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action.filter(hasStar))

  expect(patterns).toEqual([])
})

const allowedEverywhere = (of: readonly Statement[]) =>
  of.filter(({ Resource }) => Resource?.includes('*')).flatMap(({ Action }) => Action)

it('nothing is allowed on every resource, and no role may send traces', () => {
  expect(allowedEverywhere(statements)).toEqual([])
  expect(statements.flatMap(({ Action }) => Action.filter((action) => action.startsWith('xray:')))).toEqual([])
})

it('a stage that is traced lets each function send its traces, and adds nothing else', () => {
  const traced = statementsOf(synthesize('prod', { tracing: true }), 'AWS::IAM::Policy')
  const functions = resourcesOf(template, 'AWS::Lambda::Function')

  expect(new Set(allowedEverywhere(traced))).toEqual(new Set(Object.keys(unbounded)))
  expect(traced.filter(({ Resource }) => Resource?.includes('*'))).toHaveLength(functions.length)
  expect(traced.filter(({ Resource }) => !Resource?.includes('*'))).toEqual(statements)
})

it('a wildcard stands only below one resource of ours', () => {
  const patterns = statements.flatMap((statement) =>
    endsOf(statement)
      .filter((pattern) => pattern !== '*')
      .filter((pattern) => !bounded.some((rule) => isWithin(statement, pattern, rule)))
      .map((pattern) => `${statement.policyId} ${pattern}`),
  )

  expect(patterns).toEqual([])
})

it('no role has a policy managed by somebody else', () => {
  const managed = resourcesOf(template, 'AWS::IAM::Role').filter(({ Properties }) => 'ManagedPolicyArns' in Properties)

  expect(managed).toEqual([])
})

it('no ARN names a partition, a Region or an account', () => {
  expect(JSON.stringify(template)).not.toMatch(/arn:aws|\d{12}:|us-east-1/)
})

it('each function may do what its code does, and nothing else', () => {
  for (const { id, Metadata, Properties } of resourcesOf(template, 'AWS::Lambda::Function')) {
    const { actions } = readBundle(String(Metadata['backstop:entry']))
    const role = referredId(Properties['Role']) ?? ''
    const granted = actionsOf(role.replace(/[0-9A-F]{8}$/, '')).filter(
      ({ action, on }) => !ofTheService.test(action) && !/Failures/.test(on),
    )

    expect([...new Set(granted.map(({ action }) => action))].sort(), id).toEqual([...actions].sort())
  }
})

it('ingress sends callbacks and reads the keys of channels, and reaches no table', () => {
  const actions = actionsOf('Ingress').filter(({ action }) => !/^(logs|xray):/.test(action))

  expect(new Set(actions.map(({ action }) => action))).toEqual(
    new Set(['sqs:SendMessage', 'secretsmanager:GetSecretValue']),
  )
  expect(actions).toContainEqual({ action: 'sqs:SendMessage', on: 'SettlingCallbacksQueue' })
})

it('dispatch sends to lanes and makes schedules, and writes nowhere', () => {
  const actions = actionsOf('DispatchRole')
  const sent = actions.filter(({ action }) => action === 'sqs:SendMessage').map(({ on }) => on)

  expect(actions.filter(({ action }) => /^dynamodb:(Put|Update|Delete)/.test(action))).toEqual([])
  expect(sent.filter((on) => on.startsWith('TasksLane'))).toHaveLength(8)
  expect(actions.map(({ action }) => action)).toContain('scheduler:CreateSchedule')
})

it('only dispatch may pass a role, only that of the schedules, and only to the scheduler', () => {
  const passing = statements.filter(({ Action }) => Action.includes('iam:PassRole'))

  expect(passing.map(({ Resource = [] }) => Resource.map(referredId))).toEqual([
    [resourcesOf(template, 'AWS::IAM::Role').find(({ id }) => id.startsWith('DispatchDeliverer'))?.id],
  ])
  expect(passing[0]?.Condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } })
})

it('the role of the schedules is for the scheduler, this account and this group alone', () => {
  const role = resourcesOf(template, 'AWS::IAM::Role').find(({ id }) => id.startsWith('DispatchDeliverer'))

  expect(JSON.stringify(role?.Properties)).toContain('aws:SourceAccount')
  expect(JSON.stringify(role?.Properties)).toContain('aws:SourceArn')
  expect(new Set(actionsOf('DispatchDeliverer').map(({ action }) => action))).toEqual(new Set(['sqs:SendMessage']))
})

it('the sweep reads the due index and the order that is due, and nothing through an index of names', () => {
  const queried = actionsOf('Sweep').filter(({ action }) => action === 'dynamodb:Query')

  expect(queried.map(({ on }) => on).sort()).toEqual(['LedgerTable', 'LedgerTable/index/due'])
})

it('only work reads the key that signs to the merchant and passes the gate; the sweep may look at the gate', () => {
  const holders = (target: string) =>
    statements
      .filter(({ Resource = [] }) => Resource.some((resource) => targetOf(resource) === target))
      .map(({ policyId }) => policyId.slice(0, 4))

  expect(new Set(holders('SecretsMerchant'))).toEqual(new Set(['Work']))
  expect(new Set(holders('GateTable'))).toEqual(new Set(['Work', 'Swee']))
  expect(actionsOf('Sweep').filter(({ on }) => on === 'GateTable')).toEqual([
    { action: 'dynamodb:BatchGetItem', on: 'GateTable' },
  ])
})

it('only orders reads the key of card codes: deliveries move ciphertext', () => {
  const holders = statements
    .filter(({ Resource = [] }) => Resource.some((resource) => targetOf(resource).startsWith('SecretsCodeKeys')))
    .map(({ policyId }) => policyId.slice(0, 6))

  expect(new Set(holders)).toEqual(new Set(['Orders']))
})

it('nothing may delete an object or a schedule, and rows only in a transaction of settle or work', () => {
  const deleting = statements.filter(({ Action }) => Action.some(isDelete))
  const rows = deleting.filter(({ Action }) => Action.some((action) => action.startsWith('dynamodb:')))

  expect(
    new Set(deleting.filter((one) => !rows.includes(one)).flatMap(({ Action }) => Action.filter(isDelete))),
  ).toEqual(new Set(['sqs:DeleteMessage']))
  expect(rows.map(({ policyId }) => policyId.replace(/Role.*/, '')).sort()).toEqual(['SettlingSettle', 'Work'])
  for (const { Action, Condition, policyId } of rows) {
    expect(Action, policyId).toEqual(['dynamodb:DeleteItem'])
    expect(Condition['ForAnyValue:StringEquals'], policyId).toEqual({
      'dynamodb:EnclosingOperation': expect.toSatisfy(isTransactWrite),
    })
  }
})

it('alarms may publish to the topic, which refuses what does not come over TLS', () => {
  const policy = statementsOf(template, 'AWS::SNS::TopicPolicy')

  expect(policy.map(({ Effect, Action }) => [Effect, ...Action])).toEqual(
    expect.arrayContaining([
      ['Allow', 'sns:Publish'],
      ['Deny', 'sns:Publish'],
    ]),
  )
})

function isDelete(action: string): boolean {
  return /:(Batch)?(Delete|Purge)/.test(action)
}

function isTransactWrite(operations: unknown): boolean {
  return [operations].flat().join() === 'TransactWriteItems'
}

function hasStar(action: string): boolean {
  return action.includes('*')
}

function isWithin(statement: Statement, pattern: string, rule: (typeof bounded)[number]): boolean {
  return pattern.endsWith(rule.suffix) && statement.Action.every((action) => rule.actions.includes(action))
}
