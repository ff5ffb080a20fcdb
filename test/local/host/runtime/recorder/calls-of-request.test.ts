import { expect, it } from 'vitest'
import { mintToken } from '../../../../../local/engines/step-functions/task-token.ts'
import { callsOfRequest } from '../../../../../local/host/runtime/recorder/calls-of-request.ts'

const PLACE = { region: 'us-east-1', accountId: '000000000000' }
const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Ledger'

const targeted = (target: string, body: object) =>
  callsOfRequest({ method: 'POST', url: '/', target, body: JSON.stringify(body) }, PLACE)
const table = (operation: string, body: object) => targeted(`DynamoDB_20120810.${operation}`, body)
const plain = (method: string, url: string, body = '') =>
  callsOfRequest({ method, url, target: undefined, body }, PLACE)

it('a transaction is its parts, each known to be in one', () => {
  const on = { TableName: 'Ledger' }
  const calls = table('TransactWriteItems', { TransactItems: [{ Put: on }, { Delete: on }, { ConditionCheck: on }] })

  expect(calls).toEqual(
    ['PutItem', 'DeleteItem', 'ConditionCheckItem'].map((part) => ({
      action: `dynamodb:${part}`,
      resource: TABLE,
      context: { 'dynamodb:EnclosingOperation': 'TransactWriteItems' },
    })),
  )
})

it('a query is one of its table, or of the index that it names', () => {
  expect(table('Query', { TableName: 'Ledger' })).toMatchObject([{ action: 'dynamodb:Query', resource: TABLE }])
  expect(table('Query', { TableName: 'Ledger', IndexName: 'due' })).toMatchObject([{ resource: `${TABLE}/index/due` }])
})

it('a batch is a read of each of its tables', () => {
  const calls = table('BatchGetItem', { RequestItems: { Ledger: {}, Gate: {} } })

  expect(calls.map(({ resource }) => resource.split('/').at(-1))).toEqual(['Ledger', 'Gate'])
})

it('a schedule is made in its group, passes a role on, and sends by that role', () => {
  const [queue, lost, RoleArn] = ['arn:aws:sqs:::lane', 'arn:aws:sqs:::lost', 'arn:aws:iam::0:role/Deliverer']
  const Target = { Arn: queue, RoleArn, DeadLetterConfig: { Arn: lost } }
  const calls = plain('POST', '/schedules/t.AAAA.x1', JSON.stringify({ GroupName: 'tasks', Target }))

  expect(calls).toEqual([
    {
      action: 'scheduler:CreateSchedule',
      resource: 'arn:aws:scheduler:us-east-1:000000000000:schedule/tasks/t.AAAA.x1',
      context: {},
    },
    { action: 'iam:PassRole', resource: RoleArn, context: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    { action: 'sqs:SendMessage', resource: queue, context: {}, roleArn: RoleArn },
    { action: 'sqs:SendMessage', resource: lost, context: {}, roleArn: RoleArn },
  ])
})

it('messages, secrets, events and objects are named by what they are about', () => {
  const secret = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:keys'
  const calls = [
    ...targeted('AmazonSQS.SendMessage', { QueueUrl: 'http://127.0.0.1:1/000000000000/lane' }),
    ...targeted('secretsmanager.GetSecretValue', { SecretId: secret }),
    ...targeted('AWSEvents.PutEvents', { Entries: [{ EventBusName: 'bus' }, { EventBusName: 'bus' }] }),
    ...plain('PUT', '/raw/callbacks/a%20b.gz?x-id=PutObject'),
    ...plain('GET', '/raw/callbacks/b.gz?x-id=GetObject'),
  ]

  expect(calls.map(({ action, resource }) => [action, resource])).toEqual([
    ['sqs:SendMessage', 'arn:aws:sqs:us-east-1:000000000000:lane'],
    ['secretsmanager:GetSecretValue', secret],
    ['events:PutEvents', 'arn:aws:events:us-east-1:000000000000:event-bus/bus'],
    ['s3:PutObject', 'arn:aws:s3:::raw/callbacks/a b.gz'],
    ['s3:GetObject', 'arn:aws:s3:::raw/callbacks/b.gz'],
  ])
})

it('an operation that is not known is on everything, which no policy of ours allows', () => {
  const unknown = [table('Scan', {}), plain('DELETE', '/raw/callbacks/b.gz'), plain('DELETE', '/schedules/t.A.1')]

  expect(unknown.flat().map(({ resource }) => resource)).toEqual(['*', '*', '*'])
})

it('a call to Step Functions is one on the machine, the execution, or the machine of the token', () => {
  const machine = 'arn:aws:states:us-east-1:000000000000:stateMachine:refund'
  const execution = 'arn:aws:states:us-east-1:000000000000:execution:refund:one'
  const taskToken = mintToken({ machine: 'refund', executionId: 1, branch: 0 })
  const callTo = (operation: string, body: object) => targeted(`AWSStepFunctions.${operation}`, body)[0]

  expect(callTo('StartExecution', { stateMachineArn: machine })).toMatchObject({
    action: 'states:StartExecution',
    resource: machine,
  })
  expect(callTo('DescribeExecution', { executionArn: execution })).toMatchObject({ resource: execution })
  expect(callTo('SendTaskSuccess', { taskToken, output: '{}' })).toMatchObject({
    action: 'states:SendTaskSuccess',
    resource: machine,
  })
  expect(callTo('SendTaskSuccess', { taskToken: 'x', output: '{}' })).toMatchObject({ resource: '*' })
})
