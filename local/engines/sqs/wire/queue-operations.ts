import type { Broker } from '../broker.ts'
import { SqsError } from '../errors.ts'
import { listMoveTasks, startMoveTask } from '../move-tasks.ts'
import type { Queue } from '../queue.ts'
import { defaultAttributes, parseAttributes, readRedrivePolicy } from '../queue-attributes.ts'
import type { Operation } from './operation.ts'

const purgeIntervalMs = 60_000

const createQueue: Operation = ({ broker, urlOf }, fields) => {
  const name = fields.text('QueueName')
  const attributes = parseAttributes(fields.map('Attributes'))
  const existing = broker.catalog.find(name)
  if (existing === undefined) {
    checkDeadLetterQueue(broker, attributes)
    broker.catalog.create(name, attributes)
  } else if (hasOtherAttributes(existing, attributes)) {
    throw new SqsError(
      'QueueNameExists',
      'A queue already exists with the same name and a different value for an attribute',
    )
  }
  return { QueueUrl: urlOf(name) }
}

function hasOtherAttributes(queue: Queue, attributes: Readonly<Record<string, string>>): boolean {
  const current = { ...defaultAttributes(), ...queue.attributes }
  return Object.entries(attributes).some(([name, value]) => current[name] !== value)
}

function checkDeadLetterQueue(broker: Broker, attributes: Readonly<Record<string, string>>): void {
  const policy = readRedrivePolicy(attributes)
  if (policy === undefined || broker.catalog.find(policy.deadLetterTargetArn) !== undefined) return
  throw new SqsError('InvalidParameterValue', `Dead letter target does not exist: ${policy.deadLetterTargetArn}`)
}

const deleteQueue: Operation = ({ broker }, fields) => {
  broker.catalog.delete(broker.catalog.get(fields.text('QueueUrl')))
  return {}
}

const purgeQueue: Operation = ({ broker }, fields) => {
  const queue = broker.catalog.get(fields.text('QueueUrl'))
  if (queue.purgedAt !== undefined && broker.now() - queue.purgedAt < purgeIntervalMs) {
    throw new SqsError(
      'PurgeQueueInProgress',
      `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
    )
  }
  broker.catalog.purge(queue)
  return {}
}

const getQueueUrl: Operation = ({ broker, urlOf }, fields) => ({
  QueueUrl: urlOf(broker.catalog.get(fields.text('QueueName')).name),
})

const listQueues: Operation = ({ broker, urlOf }, fields) => {
  const prefix = fields.optionalText('QueueNamePrefix') ?? ''
  const after = Buffer.from(fields.optionalText('NextToken') ?? '', 'base64').toString()
  const max = fields.optionalInteger('MaxResults', 1, 1000)
  const names = broker.catalog
    .all()
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefix) && name > after)
    .sort()
  const page = names.slice(0, max ?? 1000)
  const last = page.at(-1)
  return {
    QueueUrls: page.map(urlOf),
    // Without MaxResults the service gives one page and no token.
    ...(max !== undefined &&
      last !== undefined &&
      names.length > page.length && {
        NextToken: Buffer.from(last).toString('base64'),
      }),
  }
}

const getQueueAttributes: Operation = ({ broker }, fields) => {
  const queue = broker.catalog.get(fields.text('QueueUrl'))
  const names = fields.textList('AttributeNames')
  const all = describe(broker, queue)
  for (const name of names) {
    if (name !== 'All' && !(name in all) && !optionalNames.has(name)) {
      throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`)
    }
  }
  const wanted = Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name))
  return wanted.length === 0 ? {} : { Attributes: Object.fromEntries(wanted) }
}

const optionalNames = new Set([
  'RedrivePolicy',
  'RedriveAllowPolicy',
  'Policy',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
])

function describe(broker: Broker, queue: Queue): Record<string, string> {
  const { visible, inFlight, delayed } = broker.counts(queue)
  return {
    ...defaultAttributes(),
    ...Object.fromEntries(Object.entries(queue.attributes).filter(([, value]) => value !== '')),
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  }
}

const setQueueAttributes: Operation = ({ broker }, fields) => {
  const queue = broker.catalog.get(fields.text('QueueUrl'))
  const attributes = parseAttributes(fields.map('Attributes'))
  checkDeadLetterQueue(broker, attributes)
  broker.catalog.setAttributes(queue, { ...queue.attributes, ...attributes })
  return {}
}

const listDeadLetterSourceQueues: Operation = ({ broker, urlOf }, fields) => {
  const { arn } = broker.catalog.get(fields.text('QueueUrl'))
  const sources = broker.catalog.all().filter(({ redrive }) => redrive?.deadLetterTargetArn === arn)
  return { queueUrls: sources.map(({ name }) => urlOf(name)) }
}

const startMessageMoveTask: Operation = ({ broker }, fields) => ({
  TaskHandle: startMoveTask(broker, {
    sourceArn: fields.text('SourceArn'),
    destinationArn: fields.optionalText('DestinationArn'),
    maxPerSecond: fields.optionalInteger('MaxNumberOfMessagesPerSecond', 1, 500),
  }).handle,
})

const listMessageMoveTasks: Operation = ({ broker }, fields) => ({
  Results: listMoveTasks(broker, fields.text('SourceArn'), fields.optionalInteger('MaxResults', 1, 10) ?? 1).map(
    (task) => ({
      // A handle is shown for running tasks only, and none is running once its start was answered.
      Status: task.failureReason === undefined ? 'COMPLETED' : 'FAILED',
      SourceArn: task.sourceArn,
      DestinationArn: task.destinationArn,
      MaxNumberOfMessagesPerSecond: task.maxPerSecond,
      ApproximateNumberOfMessagesMoved: task.moved,
      ApproximateNumberOfMessagesToMove: task.toMove,
      FailureReason: task.failureReason,
      StartedTimestamp: task.startedAt,
    }),
  ),
})

/** Operations on queues, by the name in X-Amz-Target. */
export const queueOperations: Readonly<Record<string, Operation>> = {
  CreateQueue: createQueue,
  DeleteQueue: deleteQueue,
  PurgeQueue: purgeQueue,
  GetQueueUrl: getQueueUrl,
  ListQueues: listQueues,
  GetQueueAttributes: getQueueAttributes,
  SetQueueAttributes: setQueueAttributes,
  ListDeadLetterSourceQueues: listDeadLetterSourceQueues,
  StartMessageMoveTask: startMessageMoveTask,
  ListMessageMoveTasks: listMessageMoveTasks,
}
