import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Dynamodb, startDynamodb } from '../../engines/dynamodb/start-dynamodb.ts'
import { type EventBridge, openEventBridge } from '../../engines/event-bridge/open-event-bridge.ts'
import { type Gateway, startGateway } from '../../engines/gateway.ts'
import { openS3, type S3Engine } from '../../engines/s3/open-s3.ts'
import type { Deliver } from '../../engines/scheduler/delivery.ts'
import { openScheduler, type SchedulerEngine } from '../../engines/scheduler/open-scheduler.ts'
import { openSecretsManager, type SecretsManager } from '../../engines/secrets-manager/open-secrets-manager.ts'
import { openSqs, type SqsEngine } from '../../engines/sqs/open-sqs.ts'
import type { Invoke } from '../../engines/step-functions/invoke.ts'
import { openStepFunctions, type StepFunctionsEngine } from '../../engines/step-functions/open-step-functions.ts'
import type { Clock } from '../clock/clock.ts'

/** The services that the functions of the stack call. */
export interface Engines {
  dynamodb: Dynamodb
  sqs: SqsEngine
  scheduler: SchedulerEngine
  s3: S3Engine
  secretsManager: SecretsManager
  eventBridge: EventBridge
  stepFunctions: StepFunctionsEngine
  gateway: Gateway
}

/**
 * Opens all engines on the files in `stateDir`.
 * @param options.deliver hands what the scheduler fires to its target
 * @param options.invokeTask calls a function for a state machine
 * @param options.closers what to close later is added as it opens, so that a failure half-way leaves nothing open
 */
export async function openEngines(options: {
  stateDir: string
  clock: Clock
  deliver: Deliver
  invokeTask: Invoke
  report: (line: string) => void
  closers: (() => void | Promise<void>)[]
}): Promise<Engines> {
  const { stateDir, clock, closers } = options
  mkdirSync(stateDir, { recursive: true })
  const dynamodb = await startDynamodb({ stateDir })
  closers.push(() => dynamodb.stop())
  const keep = <Opened extends { close(): void }>(engine: Opened): Opened => {
    closers.push(() => engine.close())
    return engine
  }
  const sqs = keep(openSqs({ path: join(stateDir, 'sqs.sqlite'), clock, urlBase: () => gateway.url }))
  const s3 = keep(openS3({ dir: join(stateDir, 's3'), clock }))
  const secretsManager = keep(openSecretsManager({ path: join(stateDir, 'secrets.sqlite'), clock }))
  const eventBridge = keep(openEventBridge({ path: join(stateDir, 'events.sqlite'), clock }))
  const scheduler = keep(
    openScheduler({
      path: join(stateDir, 'scheduler.sqlite'),
      clock,
      deliver: options.deliver,
      report: options.report,
    }),
  )
  const stepFunctions = keep(
    openStepFunctions({
      path: join(stateDir, 'step-functions.sqlite'),
      clock,
      invoke: options.invokeTask,
      report: options.report,
    }),
  )
  const gateway = await startGateway({
    engines: { sqs, scheduler, s3, secretsManager, eventBridge, stepFunctions },
  })
  closers.push(() => gateway.close())
  return { dynamodb, sqs, scheduler, s3, secretsManager, eventBridge, stepFunctions, gateway }
}
