import { randomUUID } from 'node:crypto'
import type { Broker } from './broker.ts'
import { invalidParameter, SqsError } from './errors.ts'
import type { Message } from './message.ts'
import type { Queue } from './queue.ts'

/** A redrive from a dead-letter queue, as ListMessageMoveTasks shows it. */
export interface MoveTask {
  readonly handle: string
  readonly sourceArn: string
  readonly destinationArn: string | undefined
  readonly maxPerSecond: number | undefined
  readonly startedAt: number
  readonly moved: number
  readonly toMove: number
  readonly failureReason: string | undefined
}

/**
 * Moves every visible message of a dead-letter queue to `destinationArn`, or back to where each came from.
 * All in one step: the rate limit is kept for the listing only.
 * @throws SqsError ResourceNotFoundException when a queue is missing, InvalidParameterValue when none redrives to it
 */
export function startMoveTask(
  broker: Broker,
  request: { sourceArn: string; destinationArn: string | undefined; maxPerSecond: number | undefined },
): MoveTask {
  const source = findByArn(broker, request.sourceArn)
  const isDeadLetterQueue = broker.catalog.all().some(({ redrive }) => redrive?.deadLetterTargetArn === source.arn)
  if (!isDeadLetterQueue) {
    throw invalidParameter('SourceArn', source.arn, 'Source queue must be configured as a Dead Letter Queue.')
  }
  const destination = request.destinationArn === undefined ? undefined : findByArn(broker, request.destinationArn)
  if (destination === source) {
    throw invalidParameter('DestinationArn', destination.arn, 'Source queue and destination queue must differ.')
  }
  const toMove = broker.counts(source).visible
  const { moved, lost } = moveVisible(broker, source, destination, toMove)
  const task: MoveTask = {
    ...request,
    handle: Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn: source.arn })).toString('base64'),
    startedAt: broker.now(),
    moved,
    toMove,
    failureReason: lost === 0 ? undefined : 'CouldNotDetermineMessageSource',
  }
  broker.store.putTask(task)
  return task
}

function moveVisible(broker: Broker, source: Queue, destination: Queue | undefined, count: number) {
  const stranded: Message[] = []
  let moved = 0
  for (let i = 0; i < count; i++) {
    const message = source.shiftReady()
    if (message === undefined) break
    const target = destination ?? broker.catalog.find(message.sourceArn ?? '')
    if (target === undefined) {
      stranded.push(message)
      continue
    }
    // A redriven message is a new one. Source: SQS Developer Guide, "Configure a dead-letter queue redrive".
    const fresh = { messageId: randomUUID(), sentAt: broker.now(), receives: 0, firstReceivedAt: undefined }
    broker.transfer(source, message, target, { ...fresh, sourceArn: undefined })
    moved++
  }
  for (const message of stranded) source.change(message, 'ready')
  return { moved, lost: stranded.length }
}

/** Tasks of one source queue, newest first. */
export function listMoveTasks(broker: Broker, sourceArn: string, max: number): MoveTask[] {
  const source = findByArn(broker, sourceArn)
  return broker.store
    .loadTasks()
    .filter((task) => task.sourceArn === source.arn)
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, max)
}

function findByArn(broker: Broker, arn: string): Queue {
  const queue = broker.catalog.find(arn)
  if (queue?.arn === arn) return queue
  throw new SqsError(
    'ResourceNotFoundException',
    "The resource that you specified for the SourceArn or DestinationArn parameter doesn't exist.",
  )
}
