import { z } from 'zod'
import { readToken } from '../../../engines/step-functions/task-token.ts'

/** One thing that IAM decides on: an action on a resource, and what is known of the request. */
export interface AwsCall {
  /** `dynamodb:PutItem` */
  readonly action: string
  /** An ARN; `*` for an operation that is not known here, so that no policy of ours allows it. */
  readonly resource: string
  /** Condition keys with their values. */
  readonly context: Readonly<Record<string, string>>
  /** The role by which a service makes the call later, for what a request plans; otherwise the caller makes it. */
  readonly roleArn?: string
}

export interface AwsRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** The header X-Amz-Target. */
  readonly target: string | undefined
  readonly body: string
}

/** Parts of an ARN that no request names. */
export interface Place {
  readonly region: string
  readonly accountId: string
}

/**
 * What IAM checks for one request of an SDK client: a transaction is its parts, a schedule also the role that it passes on.
 * @throws ZodError on a body that is not the operation's
 * Source: Service Authorization Reference, per service; DynamoDB developer guide, "IAM and transactions"
 */
export function callsOfRequest(request: AwsRequest, { region, accountId }: Place): readonly AwsCall[] {
  const arn: Arn = (service, resource) => `arn:aws:${service}:${region}:${accountId}:${resource}`
  const [api = '', operation = ''] = request.target?.split('.') ?? []
  if (api.startsWith('DynamoDB')) return callsOfTable(operation, JSON.parse(request.body), arn)
  if (api === 'AmazonSQS') {
    const { QueueUrl } = queueBody.parse(JSON.parse(request.body))
    return [call(`sqs:${operation}`, arn('sqs', QueueUrl.split('/').at(-1) ?? ''))]
  }
  if (api === 'secretsmanager') {
    return [call(`secretsmanager:${operation}`, secretBody.parse(JSON.parse(request.body)).SecretId)]
  }
  if (api === 'AWSStepFunctions') {
    return [call(`states:${operation}`, machineOrExecution(statesBody.parse(JSON.parse(request.body)), arn))]
  }
  if (api === 'AWSEvents') {
    const { Entries } = eventsBody.parse(JSON.parse(request.body))
    const buses = new Set(Entries.map(({ EventBusName }) => EventBusName))
    return [...buses].map((bus) => call(`events:${operation}`, arn('events', `event-bus/${bus}`)))
  }
  const path = decodeURIComponent(new URL(request.url, 'http://local').pathname)
  if (path.startsWith('/schedules/')) return callsOfSchedule(request, path.slice('/schedules/'.length), arn)
  const verb = { GET: 'GetObject', PUT: 'PutObject' }[request.method]
  return [verb === undefined ? call(`s3:${request.method}`, '*') : call(`s3:${verb}`, `arn:aws:s3:::${path.slice(1)}`)]
}

/** A token is answered under a permission on its machine. */
function machineOrExecution({ stateMachineArn, executionArn, taskToken = '' }: z.infer<typeof statesBody>, arn: Arn) {
  const machine = readToken(taskToken)?.machine
  return stateMachineArn ?? executionArn ?? (machine === undefined ? '*' : arn('states', `stateMachine:${machine}`))
}

type Arn = (service: string, resource: string) => string

const queueBody = z.object({ QueueUrl: z.string() })
const secretBody = z.object({ SecretId: z.string() })
const statesBody = z.object({
  stateMachineArn: z.string().optional(),
  executionArn: z.string().optional(),
  taskToken: z.string().optional(),
})
const eventsBody = z.object({ Entries: z.array(z.object({ EventBusName: z.string() })) })
const scheduleBody = z.object({
  GroupName: z.string(),
  Target: z.object({
    Arn: z.string(),
    RoleArn: z.string(),
    DeadLetterConfig: z.object({ Arn: z.string() }).optional(),
  }),
})
const tableBody = z.object({ TableName: z.string(), IndexName: z.string().optional() })
const batchBody = z.object({ RequestItems: z.record(z.string(), z.unknown()) })
const transactionBody = z.object({
  TransactItems: z.array(z.partialRecord(z.enum(['Put', 'Update', 'Delete', 'ConditionCheck']), tableBody)),
})

function call(action: string, resource: string, context: AwsCall['context'] = {}): AwsCall {
  return { action, resource, context }
}

function callsOfTable(operation: string, body: unknown, arn: Arn): AwsCall[] {
  const action = `dynamodb:${operation}`
  const table = (name: string) => arn('dynamodb', `table/${name}`)
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'Query': {
      const { TableName, IndexName } = tableBody.parse(body)
      return [call(action, table(TableName) + (IndexName === undefined ? '' : `/index/${IndexName}`))]
    }
    case 'BatchGetItem':
      return Object.keys(batchBody.parse(body).RequestItems).map((name) => call(action, table(name)))
    case 'TransactWriteItems': {
      const parts = transactionBody.parse(body).TransactItems.flatMap((item) => Object.entries(item))
      return parts.map(([part, target]) =>
        call(`dynamodb:${part}Item`, table(target.TableName), {
          'dynamodb:EnclosingOperation': operation,
        }),
      )
    }
    default:
      return [call(action, '*')]
  }
}

/** The scheduler sends by the role that it is given, to the target and, when that fails for good, to its dead letters. */
function callsOfSchedule({ method, body }: AwsRequest, name: string, arn: Arn): AwsCall[] {
  if (method !== 'POST') return [call(`scheduler:${method}`, '*')]
  const { GroupName, Target } = scheduleBody.parse(JSON.parse(body))
  const { RoleArn: roleArn, DeadLetterConfig: deadLetters } = Target
  const sent = [Target.Arn, ...(deadLetters === undefined ? [] : [deadLetters.Arn])]
  return [
    call('scheduler:CreateSchedule', arn('scheduler', `schedule/${GroupName}/${name}`)),
    call('iam:PassRole', roleArn, { 'iam:PassedToService': 'scheduler.amazonaws.com' }),
    ...sent.map((queueArn) => ({ ...call('sqs:SendMessage', queueArn), roleArn })),
  ]
}
