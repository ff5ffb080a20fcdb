import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { planTrigger } from '../../functions/dispatch/plan-trigger.ts'
import { openChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { queryPaymentHandler } from '../../functions/work/handlers/query-payment.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { type ChannelId, parseChannelId } from '../../modules/core/ids.ts'
import { instantOf, msOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openGate } from '../../modules/gate/open-gate.ts'
import { readTask } from '../../modules/ledger/read/list-tasks.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import { muteOutput } from '../ack/mute-output.ts'
import { type BenchTables, ledgerOn, loadRows } from '../bench-tables.ts'
import { WAIT_MS } from '../cost/billed-duration.ts'
import { must } from '../must.ts'
import { LaneQueue, messageOf, type Work } from './lane-queue.ts'
import { ScriptedChannel } from './scripted-channel.ts'
import { type StuckOrder, stuckOrder } from './stuck-orders.ts'
import { VirtualTime } from './virtual-time.ts'

const STORMY = must(parseChannelId('stormy'))
const QUIET = must(parseChannelId('quiet'))
const START_MS = Date.UTC(2026, 10, 30, 12)
/** The stream's records and the queue's messages take this long each, in ms. Assumed. */
const STREAM_MS = { least: 50, spread: 350 }
const QUEUE_MS = { least: 10, spread: 140 }
/** A one-time schedule fires within its minute. Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html */
const SCHEDULE_LATE_MS = 59_000
/** A DynamoDB call takes half to twice of what it usually takes. */
const WAIT_SPREAD = { least: 0.5, spread: 1.5 }
const OTHER_WAIT_MS = 10
/** Answers of DynamoDB arrive on a grid of this, so that several calls are under way at once and a run takes minutes, not an hour. */
const GRID_MS = 5
const FIRST_QUERY_MS = 5_000

export interface StormPlan {
  readonly tasks: number
  /** What the backlog may use of the stormy lane. */
  readonly perS: number
  /** Worker environments per lane. */
  readonly environments: number
  /** Calls per second of the other channel, all of them live. */
  readonly quietPerS: number
  /** In [0, 1), seeded. */
  readonly random: () => number
}

export interface StormResult {
  readonly startMs: number
  /** Call starts of the stormy channel, in ms. */
  readonly callsMs: readonly number[]
  /** Triggers after the first one that a task needed until it was done. */
  readonly wakeUps: readonly number[]
  /** From due to call, of the other channel. */
  readonly quietDelaysMs: readonly number[]
  /** Messages per batch of the stormy lane. */
  readonly batchSize: number
}

/**
 * Lets all tasks of a lane come due at one moment and runs until each is done: the real gate, desk, handler and transactions on
 * the local engine, over a simulated clock, queue, worker pool and channel.
 * @throws Error when a task is left over
 */
export async function runStorm(tables: BenchTables, plan: StormPlan): Promise<StormResult> {
  const { random } = plan
  const time = new VirtualTime(START_MS - FIRST_QUERY_MS - 1_000)
  const now = () => instantOf(time.nowMs)
  const clients = [tables.openClient(), withWaits(tables.openClient()), withWaits(tables.openClient())] as const
  const [plain, waiting, gateClient] = clients
  function withWaits(client: DynamoDBClient): DynamoDBClient {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          try {
            return await time.during(() => next(args))
          } finally {
            await time.sleep(onGrid(time.nowMs + waitOf(commandName, random())) - time.nowMs)
          }
        },
      { step: 'initialize', name: 'benchWait', priority: 'high' },
    )
    return client
  }
  const [store, ledger] = [ledgerOn(plain, tables.ledgerTable), ledgerOn(waiting, tables.ledgerTable)]
  const stuck = Array.from({ length: plan.tasks }, (_, index) => orderOf(STORMY, index, 1, START_MS))
  const seconds = plan.tasks / plan.perS
  const quiet = Array.from({ length: Math.ceil(seconds * plan.quietPerS) }, (_, index) =>
    orderOf(QUIET, index, 0, START_MS + Math.round((index / plan.quietPerS) * 1000)),
  )
  await loadRows(store, rowsOf([...stuck, ...quiet]))

  const left = new Map([...stuck, ...quiet].map(({ task }) => [task.taskNo, { task, wakeUps: 0 }]))
  const wakeUps: number[] = []
  const failures: unknown[] = []
  const channels = new Map([STORMY, QUIET].map((id) => [id, new ScriptedChannel(id, time, random)]))
  const channelOf = (id: ChannelId): ScriptedChannel => must(channels.get(id))
  const queues: Record<string, LaneQueue> = Object.fromEntries(
    [STORMY, QUIET].map((lane) => [
      lane,
      new LaneQueue(time, Array.from({ length: plan.environments }, openEnvironment)),
    ]),
  )

  function openEnvironment(_: unknown, number: number): Work {
    const gate = openGate(tables.gateTable, {
      client: gateClient,
      overrides: { [STORMY]: usedLane(plan.perS) },
      nowMs: () => time.nowMs,
      random,
    })
    const sleep = (ms: number) => time.sleep(ms)
    const desk = openChannelDesk({
      gate,
      now,
      sleep,
      abilities: () => ({ canQuery: true, canClose: false, canQueryRefund: false }),
      clientAfresh: async () => undefined,
      client: async (channel) => channelOf(channel).client,
    })
    const handlers = {
      QUERY_PAYMENT: queryPaymentHandler(desk, {
        ledger,
        policies: bindPolicies({}),
        notices: new Set(),
        canAskBack: () => false,
        now,
      }),
    }
    const deps = { ledger, handlers, policies: bindPolicies({}), gate, sleep, now, random }
    return async (message) => {
      try {
        await runTask(deps, message, `environment-${number}`)
        await follow(message)
      } catch (error) {
        failures.push(error)
      }
    }
  }

  /** What stream and dispatch do after a run: a `wake` that changed becomes the next trigger. */
  async function follow(message: TaskMessage): Promise<void> {
    const task = await time.during(() => readTask(store, message.pk, message.taskNo))
    const known = left.get(message.taskNo)
    if (task === undefined || known === undefined) return
    if (task.status === 'SUCCESS') {
      left.delete(task.taskNo)
      if (task.lane === STORMY) wakeUps.push(known.wakeUps)
    } else if (task.wake !== undefined && task.wake !== message.wake) {
      known.wakeUps += 1
      time.at(time.nowMs + within(STREAM_MS), () => trigger(task))
    }
  }

  function trigger(task: TaskRow): void {
    const { lane, taskNo, wake = task.nextExecuteAt } = task
    const planned = planTrigger(taskNo, wake, now())
    const atMs =
      planned.kind === 'message'
        ? time.nowMs + planned.delaySeconds * 1000
        : Math.ceil(msOf(wake) / 1000) * 1000 + Math.round(random() * SCHEDULE_LATE_MS)
    const cause = planned.kind === 'message' ? 'stream' : 'schedule'
    queues[lane]?.arriveAt(atMs + within(QUEUE_MS), messageOf(task, cause))
  }

  const within = ({ least, spread }: typeof STREAM_MS): number => Math.round(least + random() * spread)

  for (const { task } of stuck) queues[STORMY]?.arriveAt(START_MS, messageOf(task, 'redrive'))
  // A first query is planned with its payAttempt, five seconds ahead.
  for (const { task } of quiet) {
    time.at(msOf(task.nextExecuteAt) - FIRST_QUERY_MS + within(STREAM_MS), () => trigger(task))
  }
  const unmute = muteOutput()
  try {
    await time.run()
  } finally {
    unmute()
    for (const client of clients) client.destroy()
  }
  if (failures.length > 0) throw new Error(`${failures.length} runs of tasks failed.`, { cause: failures[0] })
  if (left.size > 0) throw new Error(`${left.size} tasks were left over.`)

  const dueMs = new Map(quiet.map(({ task }) => [task.orderNo as string | undefined, msOf(task.nextExecuteAt)]))
  const { batches, messages } = must(queues[STORMY])
  return {
    startMs: START_MS,
    callsMs: channelOf(STORMY).calls.map(({ atMs }) => atMs),
    wakeUps,
    quietDelaysMs: channelOf(QUIET).calls.map(({ atMs, outTradeNo }) => atMs - must(dueMs.get(outTradeNo))),
    batchSize: messages / batches,
  }
}

/** A lane that has climbed to its limit before, of which the backlog may use `perS`. */
function usedLane(perS: number) {
  const headroomShare = 0.2
  const maxPerS = perS / (1 - headroomShare)
  return { headroomShare, maxPerS, startPerS: maxPerS }
}

function orderOf(channel: ChannelId, index: number, asked: 0 | 1, dueMs: number): StuckOrder {
  const orderNo = `${channel.toUpperCase()}-${String(index).padStart(6, '0')}`
  return stuckOrder({ orderNo, channel, asked, at: instantOf(dueMs) }, instantOf(dueMs - FIRST_QUERY_MS))
}

function* rowsOf(orders: readonly StuckOrder[]): Iterable<Record<string, unknown>> {
  for (const { rows } of orders) yield* rows
}

const onGrid = (ms: number): number => Math.ceil(ms / GRID_MS) * GRID_MS

function waitOf(commandName: string, random: number): number {
  const usualMs = WAIT_MS[commandName.replace(/Command$/, '')] ?? OTHER_WAIT_MS
  return Math.max(1, Math.round(usualMs * (WAIT_SPREAD.least + random * WAIT_SPREAD.spread)))
}
