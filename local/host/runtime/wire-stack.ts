import { join } from 'node:path'
import { openStream } from '../../engines/dynamodb/open-stream.ts'
import type { Deliver as DeliverSchedule } from '../../engines/scheduler/delivery.ts'
import { nextFire } from '../../engines/scheduler/next-fire.ts'
import type { Invoke } from '../../engines/step-functions/invoke.ts'
import type { LeapingClock } from '../clock/leaping-clock.ts'
import type { StackSpec } from '../template/read-stack.ts'
import { openAsyncInvoker } from './async-invoker.ts'
import { openDelivery } from './deliver-to-target.ts'
import { startItemExpiry } from './expire-items.ts'
import { type FunctionPool, type LogEntry, openFunctionPool } from './function-pool.ts'
import type { HostState } from './host-state.ts'
import type { HttpApiServer, VerifyToken } from './http-api.ts'
import type { Idleness } from './idleness.ts'
import type { Engines } from './open-engines.ts'
import { openTableClient } from './provision.ts'
import { startQueuePoller } from './queue-poller.ts'
import type { Recorder } from './recorder/open-recorder.ts'
import { routeBusEvents } from './route-bus-events.ts'
import { openScheduledRules } from './scheduled-rules.ts'
import { startStreamPoller } from './stream-poller.ts'
import { openTaskInvoker } from './task-invoker.ts'

export interface WiringOptions {
  spec: StackSpec
  engines: Engines
  /** Stands before the engines when calls are recorded. */
  recorder: Recorder | undefined
  clock: LeapingClock
  idleness: Idleness
  state: HostState
  stateDir: string
  httpServer: HttpApiServer
  verifyToken: VerifyToken
  region: string
  accountId: string
  rootDir: string
  concurrency: number
  onLog: (entry: LogEntry) => void
}

/** The functions of a stack with everything that invokes them. */
export interface WiredStack {
  pool: FunctionPool
  deliverSchedule: DeliverSchedule
  invokeTask: Invoke
  close(): Promise<void>
}

/** Connects functions with routes, queues, streams, rules and schedules, as the template says, and lets events flow. */
export function wireStack(options: WiringOptions): WiredStack {
  const { spec, engines, clock, idleness, state, onLog, region, accountId, concurrency } = options
  const noteActivity = () => {
    idleness.noteActivity()
    for (const stream of streamPollers) stream.poke()
  }
  const pool = openFunctionPool({
    functions: spec.functions,
    rootDir: options.rootDir,
    env: describeEnvironment(options.recorder ?? addressesOf(engines), region),
    ownAccessKeys: options.recorder !== undefined,
    clock,
    concurrency,
    onLog,
    onBooked: noteActivity,
  })
  const sendFailure = (arn: string, record: unknown) => deliver(arn, JSON.stringify(record))
  const asyncInvoker = openAsyncInvoker({ functions: spec.functions, pool, state, clock, sendFailure, onLog })
  const deliver = openDelivery({ invokeAsync: asyncInvoker.enqueue, sqs: engines.sqs })
  const taskInvoker = openTaskInvoker(spec.functions, pool)
  const rules = openScheduledRules({ rules: spec.rules, clock, state, deliver, nextFire, region, accountId })
  const busEvents = routeBusEvents(spec.rules, engines.eventBridge, deliver)
  const queuePollers = spec.queueMappings.map((mapping) =>
    startQueuePoller({ mapping, sqs: engines.sqs, pool, region, concurrency }),
  )
  const streamPollers = spec.streamMappings.map((mapping) => {
    const reader = openStream({
      endpoint: engines.dynamodb.endpoint,
      tableName: mapping.tableName,
      statePath: join(options.stateDir, 'streams.sqlite'),
      consumer: mapping.logicalId,
      eventSourceArn: mapping.streamArn,
      region,
    })
    return startStreamPoller({ mapping, reader, pool, offsetMs: clock.offsetMs, sendFailure })
  })
  const expiry = startItemExpiry(openTableClient(engines, region), spec.tables, clock)
  const { verifyToken } = options
  const httpApi =
    spec.api && options.httpServer.serve({ api: spec.api, pool, clock, accountId, verifyToken, onBooked: noteActivity })

  const pollers = [...queuePollers, ...streamPollers]
  const mappedQueues = spec.queueMappings.map((mapping) => mapping.queueArn.split(':').at(-1) ?? '')
  idleness.add({ isBusy: () => pool.inFlight() > 0 || expiry.isBusy() || busEvents.running() > 0 })
  idleness.add({ isBusy: () => (httpApi?.inFlight() ?? 0) > 0 })
  idleness.add({ isBusy: () => pollers.some((poller) => poller.busy()) })
  idleness.add({ isBusy: () => asyncInvoker.running() > 0, nextDueAt: asyncInvoker.nextDueAt })
  idleness.add({ isBusy: () => rules.running() > 0, nextDueAt: rules.nextDueAt, recurring: true })
  idleness.add({ isBusy: engines.scheduler.isRunning, nextDueAt: engines.scheduler.nextDueAt })
  idleness.add({ isBusy: engines.stepFunctions.isRunning, nextDueAt: engines.stepFunctions.nextDueAt })
  idleness.add({
    // Without names the engine would look at all queues, also at those that only a person empties.
    isBusy: () => mappedQueues.length > 0 && engines.sqs.hasVisible(...mappedQueues),
    nextDueAt: engines.sqs.nextDueAt,
  })
  for (const stream of streamPollers) {
    idleness.add({
      hasUnread: async () => {
        const unread = await stream.hasUnread()
        if (unread) stream.poke()
        return unread
      },
    })
  }

  return {
    pool,
    invokeTask: taskInvoker.invoke,
    deliverSchedule: async ({ arn, input, messageGroupId: groupId }, { messageAttributes }) => {
      await deliver(arn, input, { ...(groupId !== undefined && { groupId }), messageAttributes })
    },
    close: async () => {
      await options.httpServer.close()
      rules.close()
      asyncInvoker.close()
      taskInvoker.close()
      const closing = pollers.map((poller) => poller.close())
      // The pollers wait for their functions; functions that run now are cut off, and their events come again.
      await pool.close()
      await Promise.all([...closing, expiry.close()])
    },
  }
}

type EngineAddresses = Pick<Recorder, 'gatewayUrl' | 'dynamodbUrl'>

function addressesOf({ gateway, dynamodb }: Engines): EngineAddresses {
  return { gatewayUrl: gateway.url, dynamodbUrl: dynamodb.endpoint }
}

/** What Lambda adds to each function's environment, and where the services are. */
function describeEnvironment(addresses: EngineAddresses, region: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: addresses.gatewayUrl,
    AWS_ENDPOINT_URL_DYNAMODB: addresses.dynamodbUrl,
    TZ: 'UTC',
  }
}
