import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EventBridge } from '../engines/event-bridge/open-event-bridge.ts'
import type { S3Engine } from '../engines/s3/open-s3.ts'
import type { SchedulerEngine } from '../engines/scheduler/open-scheduler.ts'
import type { SecretsManager } from '../engines/secrets-manager/open-secrets-manager.ts'
import type { SqsEngine } from '../engines/sqs/open-sqs.ts'
import type { StepFunctionsEngine } from '../engines/step-functions/open-step-functions.ts'
import { type LeapingClock, openLeapingClock } from './clock/leaping-clock.ts'
import { keepClientSecret } from './issuer/keep-client-secret.ts'
import type { TokenSubject } from './issuer/open-issuer.ts'
import type { FunctionCounters, LogEntry } from './runtime/function-pool.ts'
import { openHostState } from './runtime/host-state.ts'
import { openHttpApiServer } from './runtime/http-api.ts'
import { type WorkSource, watchIdleness } from './runtime/idleness.ts'
import { leapBy, leapOnAndOn, leapToNext } from './runtime/leap.ts'
import { openEngines } from './runtime/open-engines.ts'
import { openTokenIssuer } from './runtime/open-token-issuer.ts'
import { provisionEngines } from './runtime/provision.ts'
import { provisionSecrets } from './runtime/provision-secrets.ts'
import { openRecorder, type RecordedCall } from './runtime/recorder/open-recorder.ts'
import { wireStack } from './runtime/wire-stack.ts'
import { synthesizeTemplate } from './synthesize.ts'
import { readSecrets } from './template/read-secrets.ts'
import { readStack } from './template/read-stack.ts'
import { resolveTemplate } from './template/resolve-template.ts'
import { parseTemplate } from './template/template.ts'

/** Where the local stack says that it is. */
const REGION = 'us-east-1'
const ACCOUNT_ID = '000000000000'
const STACK_NAME = 'Backstop-local'
const PROJECT_DIR = resolve(import.meta.dirname, '../..')

export interface StackOptions {
  /** A CloudFormation template; without it, the one of this project's CDK app. */
  template?: object
  /** Folder of all state; a stack started on it again goes on where it was, also after a kill. */
  stateDir: string
  /** Folder that handlers' source files are relative to; by default the project. */
  rootDir?: string
  /** Port of the HTTP API on 127.0.0.1; 0 or nothing for any free one. */
  port?: number
  /** Jump to the next due time whenever nothing is left to do now. */
  leap?: boolean
  /** Values of template parameters. */
  parameters?: Record<string, string>
  /** Values of secrets, by logical id, name or path in the CDK app ("Secrets/Merchant"). */
  secrets?: Record<string, string>
  /** Told each line that a function writes. */
  onLog?: (entry: LogEntry) => void
  /** Most workers of one function; 2 unless given. */
  concurrency?: number
  /** Told each call of a function to a service, before the service gets it. Costs a hop per call. */
  record?: (call: RecordedCall) => void
}

/** A stack that runs on this machine. */
export interface LocalStack {
  /** Base address of the HTTP API. */
  url: string
  /** Address of all AWS services but DynamoDB. */
  gatewayUrl: string
  dynamodbEndpoint: string
  issuerUrl: string
  clock: LeapingClock
  outputs: Record<string, unknown>
  /** The physical id of a resource, by its logical id or its path in the CDK app. @throws TemplateError */
  resolve(key: string): string
  /** By logical id. */
  tableNames: Record<string, string>
  /** By logical id. */
  queueUrls: Record<string, string>
  /** An access token; without a client it is for the first one of the user pool. */
  issue(subject: Omit<TokenSubject, 'clientId'> & { clientId?: string }): Promise<string>
  sqs: SqsEngine
  scheduler: SchedulerEngine
  secretsManager: SecretsManager
  s3: S3Engine
  eventBridge: EventBridge
  stepFunctions: StepFunctionsEngine
  /** Counters by function name. */
  invocations(): Record<string, FunctionCounters>
  /** Starts one worker of each function, so that the first event does not wait for an import. */
  warm(): Promise<void>
  /** Makes something outside the stack, like a simulator, part of what `idle` and the leaps look at. */
  attach(source: WorkSource): void
  /** Resolves when no invocation, HTTP request, visible message or unread stream record is left. */
  idle(): Promise<void>
  /** Waits for idle, then jumps to the next due time; `undefined` when nothing is planned. @returns the new time in ms */
  leapToNext(): Promise<number | undefined>
  /** Goes forward by a time through every due moment on the way, and resolves when idle there. */
  leapBy(durationMs: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Runs a template on this machine: on loopback only, with its handlers unmodified in worker threads.
 * @throws PortTakenError (PORT_TAKEN), DynamodbEngineError (STATE_IN_USE, NO_ENGINE), TemplateError, SynthesizeError
 */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const closers: (() => void | Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const closeAll = () => {
    closing ??= runAll(closers.toReversed())
    return closing
  }
  try {
    return await openStack(options, closers, closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Runs all of them, also after a failure. @throws AggregateError with what failed */
async function runAll(closers: (() => void | Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers) {
    try {
      await close()
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The local stack could not be closed in full.')
}

async function openStack(
  options: StackOptions,
  closers: (() => void | Promise<void>)[],
  closeAll: () => Promise<void>,
): Promise<LocalStack> {
  const { stateDir, onLog = () => {} } = options
  const cacheDir = resolve(PROJECT_DIR, '.backstop/cache')
  const template =
    options.template === undefined ? await synthesizeTemplate({ cacheDir }) : parseTemplate(options.template)
  const httpServer = await openHttpApiServer(options.port ?? 0)
  closers.push(() => httpServer.close())
  mkdirSync(stateDir, { recursive: true })

  // What engines have to deliver or call at once waits until there is something to take it.
  const wired = Promise.withResolvers<ReturnType<typeof wireStack>>()
  wired.promise.catch(() => {})
  const state = openHostState(join(stateDir, 'host.sqlite'))
  closers.push(() => state.close())
  const clock = openLeapingClock({
    offsetMs: state.readNumber('clock offset') ?? 0,
    saveOffset: (offsetMs) => state.writeNumber('clock offset', offsetMs),
  })
  const idleness = watchIdleness(clock)
  const engines = await openEngines({
    stateDir,
    clock,
    deliver: async (target, invocation) => (await wired.promise).deliverSchedule(target, invocation),
    invokeTask: async (call) => (await wired.promise).invokeTask(call),
    report: (line) => onLog({ functionName: 'host', entry: '', line }),
    closers,
  })
  const { issuer, url: issuerUrl, close: closeIssuer } = await openTokenIssuer({ stateDir, clock, state })
  closers.push(closeIssuer)

  const recorder =
    options.record &&
    (await openRecorder({
      gatewayUrl: engines.gateway.url,
      dynamodbUrl: engines.dynamodb.endpoint,
      place: { region: REGION, accountId: ACCOUNT_ID },
      record: options.record,
    }))
  if (recorder !== undefined) closers.push(() => recorder.close())

  const resolved = resolveTemplate(template, {
    places: {
      region: REGION,
      accountId: ACCOUNT_ID,
      queueBaseUrl: recorder?.gatewayUrl ?? engines.gateway.url,
      apiUrl: httpServer.url,
    },
    stackName: STACK_NAME,
    parameters: options.parameters ?? {},
  })
  const spec = readStack(resolved)
  await provisionEngines(resolved, spec, engines, REGION)
  const values = Object.entries(options.secrets ?? {})
  provisionSecrets({
    secrets: readSecrets(resolved),
    values: new Map(values.map(([key, value]) => [resolved.ref(key).split(':secret:')[1] ?? key, value])),
    secretsManager: engines.secretsManager,
    state,
  })
  // Whoever held a message before the last stop is gone; nobody waits for its visibility time-out.
  await engines.sqs.releaseInFlight()

  const { clients } = spec.userPools
  for (const client of clients) {
    issuer.registerClient({
      ...client,
      clientSecret: keepClientSecret(join(stateDir, `client-${client.clientId}.secret`)),
    })
  }
  const stack = wireStack({
    spec,
    engines,
    recorder,
    clock,
    idleness,
    state,
    stateDir,
    httpServer,
    verifyToken: (token, rules) => issuer.verify(token, rules),
    region: REGION,
    accountId: ACCOUNT_ID,
    rootDir: options.rootDir ?? PROJECT_DIR,
    concurrency: options.concurrency ?? 2,
    onLog,
  })
  closers.push(stack.close)
  wired.resolve(stack)

  const stopping = new AbortController()
  closers.push(() => {
    stopping.abort()
    idleness.close()
  })
  if (options.leap === true) {
    const leaping = leapOnAndOn(clock, idleness, stopping.signal)
    closers.push(() => {
      stopping.abort()
      idleness.close()
      return leaping
    })
  }

  return {
    url: httpServer.url,
    gatewayUrl: engines.gateway.url,
    dynamodbEndpoint: engines.dynamodb.endpoint,
    issuerUrl,
    clock,
    outputs: resolved.outputs,
    resolve: (key) => resolved.ref(key),
    tableNames: Object.fromEntries(spec.tables.map((table) => [table.logicalId, table.name])),
    queueUrls: Object.fromEntries(spec.queues.map((queue) => [queue.logicalId, queue.url])),
    issue: (subject) => issuer.issue({ clientId: clients[0]?.clientId ?? 'local', ...subject }),
    sqs: engines.sqs,
    scheduler: engines.scheduler,
    secretsManager: engines.secretsManager,
    s3: engines.s3,
    eventBridge: engines.eventBridge,
    stepFunctions: engines.stepFunctions,
    invocations: () => stack.pool.counters(),
    warm: () => stack.pool.warm(),
    attach: (source) => idleness.add(source),
    idle: () => idleness.idle(),
    leapToNext: () => leapToNext(clock, idleness),
    leapBy: (durationMs) => leapBy(clock, idleness, durationMs),
    stop: closeAll,
  }
}
