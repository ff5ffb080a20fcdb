import { SchedulerClient } from '@aws-sdk/client-scheduler'
import type { DeliveryTarget, Invocation } from '../../../../local/engines/scheduler/delivery.ts'
import { openScheduler } from '../../../../local/engines/scheduler/open-scheduler.ts'
import { leapingClock } from '../sqs/leaping-clock.ts'
import { serveEngine } from '../sqs/serve-engine.ts'

export type Delivery = { readonly target: DeliveryTarget; readonly invocation: Invocation }

/** Deliveries as they come; `next` waits for the one after the last taken. */
export function recordDeliveries() {
  const arrived: Delivery[] = []
  const waiting: ((delivery: Delivery) => void)[] = []
  let taken = 0
  return {
    arrived,
    add: (delivery: Delivery): void => {
      arrived.push(delivery)
      const wake = waiting.shift()
      if (wake === undefined) return
      taken++
      wake(delivery)
    },
    next: (): Promise<Delivery> => {
      const delivery = arrived[taken]
      if (delivery === undefined) return new Promise((resolve) => waiting.push(resolve))
      taken++
      return Promise.resolve(delivery)
    },
  }
}

/** An engine, served to an unmodified SDK client, with a clock that leaps and targets that can be told to fail. */
export async function startScheduler(options: { path?: string; clock?: ReturnType<typeof leapingClock> } = {}) {
  const clock = options.clock ?? leapingClock()
  const deliveries = recordDeliveries()
  const reports: string[] = []
  const behaviour = { answer: (_delivery: Delivery): Promise<void> => Promise.resolve() }
  const engine = openScheduler({
    path: options.path ?? ':memory:',
    clock,
    report: (line) => reports.push(line),
    deliver: async (target, invocation) => {
      deliveries.add({ target, invocation })
      await behaviour.answer({ target, invocation })
    },
  })
  const { url, stop: stopServer } = await serveEngine(engine)
  const client = new SchedulerClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  const stop = async (): Promise<void> => {
    client.destroy()
    engine.close()
    await stopServer()
  }
  return { clock, engine, client, deliveries, reports, behaviour, stop }
}

export const queueTarget = {
  Arn: 'arn:aws:sqs:us-east-1:000000000000:tasks',
  RoleArn: 'arn:aws:iam::000000000000:role/scheduler',
  Input: '{}',
}

export const deadLetterArn = 'arn:aws:sqs:us-east-1:000000000000:dead'

/** at(…) for an instant, cut to whole seconds. */
export const at = (instantMs: number): string => `at(${new Date(instantMs).toISOString().slice(0, 19)})`

/** Properties of a one-time schedule that is due in an hour. */
export const aSchedule = (clock: { now(): number }) => ({
  Name: 't.task-1.abc',
  ScheduleExpression: at(clock.now() + 3_600_000),
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  Target: queueTarget,
})
