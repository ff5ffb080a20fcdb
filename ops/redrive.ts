import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type Message,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import { ArgumentError } from './arguments.ts'
import {
  countMessages,
  type DeadLetters,
  deadLetterNames,
  findDeadLetters,
  giveBack,
  lookInto,
  MAX_LOOKED_AT,
  receive,
} from './dead-letters.ts'
import { type OpsDeps, outputNameOf } from './deps.ts'
import type { Line } from './line.ts'
import { ageOf, nameMessage, taskMessageOf } from './name-message.ts'
import { describeBatch, redriveBatch } from './redrive-batch.ts'
import { type StreamBatch, streamBatchOf } from './stream-batch.ts'

export interface RedriveOptions {
  readonly queue: string
  readonly dryRun: boolean
  readonly ratePerS: number
}

/** A message in our hands is nobody else's for so long. */
const MOVE_VISIBILITY_S = 120
const POLL_MS = 1000
/** SQS moves on by itself; after so long we stop watching it. */
const MAX_POLLS = 600

/**
 * Sends dead letters back to where they came from, body and attributes as they are; a piece of the stream that its reader gave up
 * is marked in its rows instead. Repeating it harms nothing: a message is only a trigger, and whoever receives it looks at the row.
 * @throws ArgumentError for a queue that the stack has not; errors of the SDK
 */
export async function* redrive(deps: OpsDeps, options: RedriveOptions): AsyncGenerator<Line> {
  const letters = findDeadLetters(deps.outputs, options.queue)
  if (letters === undefined) {
    const names = [...deps.lanes, 'callbacks', ...deadLetterNames(deps.outputs)].join(', ')
    throw new ArgumentError(`There are no dead letters of '${options.queue}'; there are ${names}.`)
  }
  if (options.dryRun) {
    yield* show(deps, letters)
    return
  }
  if (letters.sourceUrl === undefined) {
    yield* moveByHand(deps, letters, options.ratePerS)
    return
  }
  const moved = await moveBySqs(deps, letters, options.ratePerS)
  yield moved.line
  // Messages that came from no queue stay where they are; their body says where they belong.
  if (moved.leavesSome && !letters.isSalvaged) yield* moveByHand(deps, letters, options.ratePerS)
}

async function* show(deps: OpsDeps, letters: DeadLetters): AsyncGenerator<Line> {
  const { name, url, isSalvaged } = letters
  if (isSalvaged) {
    const count = await countMessages(deps.sqs, url)
    const detail = `about ${count} messages; not looked into, for salvage reads this queue and looking counts as taking`
    yield { result: 'shown', action: 'redrive', item: name, detail }
    return
  }
  const messages = await lookInto(deps.sqs, url)
  for (const message of messages) {
    const { result, detail } = await describe(deps, letters, message)
    yield lineOf(message, result, `${ageOf(message, deps.now())}, ${detail}`)
  }
  if (messages.length >= MAX_LOOKED_AT) {
    yield { result: 'shown', action: 'redrive', item: name, detail: `only the first ${MAX_LOOKED_AT} were looked at` }
  }
}

async function describe(deps: OpsDeps, letters: DeadLetters, message: Message) {
  const batch = streamBatchOf(message)
  if (batch !== undefined) return describeBatch(deps, letters, batch)
  return { result: 'would do', detail: await nameMessage(deps.ledger, message) } as const
}

interface Moved {
  readonly line: Line
  readonly leavesSome: boolean
}

/** SQS itself moves them, at our rate. */
async function moveBySqs({ sqs, sleep }: OpsDeps, letters: DeadLetters, ratePerS: number): Promise<Moved> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: letters.url, AttributeNames: ['QueueArn'] }),
  )
  const SourceArn = Attributes?.QueueArn
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, MaxNumberOfMessagesPerSecond: ratePerS }))
  const said = (result: Line['result'], detail: string): Line => ({
    result,
    action: 'redrive',
    item: letters.name,
    detail,
  })
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }))
    const { Status, FailureReason, ApproximateNumberOfMessagesMoved: moved = 0 } = Results[0] ?? {}
    if (Status === 'COMPLETED') {
      return { line: said(moved === 0 ? 'skipped' : 'done', `${moved} messages sent back`), leavesSome: false }
    }
    if (Status === 'FAILED' && FailureReason === 'CouldNotDetermineMessageSource') {
      return {
        line: said(moved === 0 ? 'skipped' : 'done', `${moved} messages sent back; others came from no queue`),
        leavesSome: true,
      }
    }
    if (Status === 'FAILED' || Status === 'CANCELLED') {
      return {
        line: said('failed', `${moved} sent back, then ${Status}: ${FailureReason ?? 'no reason given'}`),
        leavesSome: false,
      }
    }
    await sleep(POLL_MS)
  }
  return {
    line: said('done', 'SQS is still moving them; aws sqs list-message-move-tasks shows how far'),
    leavesSome: false,
  }
}

/** One message after the other: sent first, deleted then, so that a death between the two doubles it and loses none. */
async function* moveByHand(deps: OpsDeps, letters: DeadLetters, ratePerS: number): AsyncGenerator<Line> {
  const { sqs, sleep } = deps
  const kept = new Map<string, Message>()
  try {
    for (;;) {
      const messages = (await receive(sqs, letters.url, MOVE_VISIBILITY_S)).filter(
        ({ MessageId: id = '' }) => !kept.has(id),
      )
      if (messages.length === 0) return
      for (const message of messages) {
        const line = await moveOne(deps, letters, message)
        if (line.result !== 'done' && line.result !== 'skipped') kept.set(message.MessageId ?? '', message)
        yield line
        await sleep(1000 / ratePerS)
      }
    }
  } finally {
    await giveBack(sqs, letters.url, [...kept.values()])
  }
}

async function moveOne(deps: OpsDeps, letters: DeadLetters, message: Message): Promise<Line> {
  const { sqs, outputs } = deps
  const batch = streamBatchOf(message)
  if (batch !== undefined) return moveBatch(deps, letters, message, batch)
  const lane = taskMessageOf(message)?.lane
  // Where it came from no queue and names no task, its next receiver could do nothing with it.
  if (lane === undefined)
    return lineOf(message, 'refused', 'names no task; read it, repair what it tells of, delete it')
  const target = letters.sourceUrl ?? outputs[`QueueTasksLane${outputNameOf(lane)}`]
  if (target === undefined) return lineOf(message, 'refused', `names the lane ${lane}, which the stack has not`)
  try {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: target,
        MessageBody: message.Body,
        ...(message.MessageAttributes !== undefined && { MessageAttributes: message.MessageAttributes }),
      }),
    )
    await sqs.send(new DeleteMessageCommand({ QueueUrl: letters.url, ReceiptHandle: message.ReceiptHandle }))
    return lineOf(message, 'done', `sent to ${target.split('/').at(-1)}`)
  } catch (error) {
    return lineOf(message, 'failed', reasonOf(error))
  }
}

async function moveBatch(deps: OpsDeps, letters: DeadLetters, message: Message, batch: StreamBatch): Promise<Line> {
  try {
    const { result, detail } = await redriveBatch(deps, letters, message, batch)
    return lineOf(message, result, detail)
  } catch (error) {
    return lineOf(message, 'failed', reasonOf(error))
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error'

const lineOf = ({ MessageId: id = '?' }: Message, result: Line['result'], detail: string): Line => ({
  result,
  action: 'redrive',
  item: id,
  detail,
})
