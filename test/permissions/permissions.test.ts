import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { RecordedCall } from '../../local/host/runtime/recorder/open-recorder.ts'
import { synthesizeTemplate } from '../../local/host/synthesize.ts'
import { startApp } from '../../local/world/app.ts'
import { noticeTypes } from '../../modules/core/notice.ts'
import { readBundle } from '../infra/bundle.ts'
import { allowSeconds } from '../support/patience.ts'
import { evaluate, fits, matches, type Request } from './evaluate.ts'
import { runAllFlows } from './flows.ts'
import { reasonFor, unusedGrants } from './listed-grants.ts'
import { ACCOUNT_ID, type FunctionRole, readAccess, roleIdOf } from './read-roles.ts'
import { type ServiceCall, serviceCallsOf } from './service-calls.ts'

/** Money that is told of counts on its order; that which is not looks at it only. Both are ways of settle. */
const TOLD = noticeTypes.filter((type) => type !== 'payment.surplus' && type !== 'refund.created')

allowSeconds(180)

const cacheDir = resolve(import.meta.dirname, '../../.backstop/cache')
const access = readAccess(await synthesizeTemplate({ cacheDir }))
const functionById = new Map(access.functions.map((fn) => [fn.id, fn]))
const recorded = await recordAllFlows()
const calls: readonly ServiceCall[] = [...recorded.map(callOfRole), ...serviceCallsOf(access)]

it('every call that a function or the scheduler made is allowed to its role', () => {
  const refused = calls.filter((call) => decide(call) !== 'allowed').map(describe)

  expect(recorded.length).toBeGreaterThan(100)
  expect(refused).toEqual([])
})

it('every function made every kind of call that its code can make', () => {
  for (const { id, entry } of access.functions) {
    const made = new Set(recorded.filter(({ functionId }) => functionId === id).map(({ action }) => action))

    expect(made.size, id).toBeGreaterThan(0)
    expect(
      [...readBundle(entry).actions].filter((action) => !made.has(action)),
      id,
    ).toEqual([])
  }
})

it('every action that is granted on a resource is used, or listed with the reason why it stays', () => {
  const unused = grants().filter((grant) => !calls.some((call) => uses(call, grant)))

  expect(unused.filter((grant) => reasonFor(grant) === undefined).map(describe)).toEqual([])
  expect(unusedGrants.filter((listed) => !unused.some((grant) => reasonFor(grant) === listed.reason))).toEqual([])
})

it('what is refused without its condition is refused to every role: deletion outside a transaction, a role to another service', () => {
  const conditional = recorded.map(callOfRole).filter(({ context }) => Object.keys(context).length > 0)
  const bare = conditional.filter(({ action }) => /:(DeleteItem|PassRole)$/.test(action))

  expect(bare.length).toBeGreaterThan(0)
  for (const call of bare) expect(decide({ ...call, context: {} }), describe(call)).toBe('not allowed')
})

it('a queue and the bucket refuse even their own functions what does not come over TLS', () => {
  const guarded = calls.filter(({ action }) => /^(sqs|s3):/.test(action))

  expect(guarded.length).toBeGreaterThan(0)
  for (const call of guarded) expect(decide(call, 'false'), describe(call)).toBe('denied')
})

it('a function`s role can be taken by Lambda alone, the scheduler`s by the scheduler for this account and group', () => {
  const group = access.ref('Dispatch/Schedules')
  const groupArn = `arn:aws:scheduler:us-east-1:${ACCOUNT_ID}:schedule-group/${group}`
  const ours = { 'aws:SourceAccount': ACCOUNT_ID, 'aws:SourceArn': groupArn }
  const functionRoles = new Set(access.functions.map(({ roleId }) => roleId))

  for (const { id } of access.roles.values()) {
    const [service, other] = functionRoles.has(id) ? [LAMBDA, SCHEDULER] : [SCHEDULER, LAMBDA]
    expect(mayTake(id, service, ours), id).toBe(true)
    expect(mayTake(id, other, ours), id).toBe(false)
    expect(mayTake(id, SCHEDULER, { ...ours, 'aws:SourceArn': `${groupArn}2` }), id).toBe(false)
    expect(mayTake(id, SCHEDULER, { ...ours, 'aws:SourceAccount': '111111111111' }), id).toBe(false)
  }
})

it('each function is called by the routes and rules that name it, and by no other', () => {
  const { api, rules } = access.spec
  const routes = (api?.routes ?? []).map(({ routeKey, functionName }) => {
    const [method, path] = routeKey.split(' ')
    const arn = `arn:aws:execute-api:us-east-1:${ACCOUNT_ID}:${api?.apiId}/$default/${method}${path}`
    return { functionName, service: 'apigateway.amazonaws.com', arn }
  })
  const ticks = rules.flatMap(({ arn, targets }) =>
    targets.map((target) => ({ functionName: nameOf(target.arn), service: 'events.amazonaws.com', arn })),
  )
  const sources = [...routes, ...ticks]

  expect(sources.length).toBeGreaterThan(10)
  expect(sources.filter((source) => !access.permissions.some((one) => admits(one, source)))).toEqual([])
  expect(access.permissions.filter((one) => !sources.some((source) => admits(one, source)))).toEqual([])
})

const LAMBDA = 'lambda.amazonaws.com'
const SCHEDULER = 'scheduler.amazonaws.com'

async function recordAllFlows(): Promise<readonly RecordedCall[]> {
  const seen = new Map<string, RecordedCall>()
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-permissions-'))
  const app = await startApp({ stateDir, notices: TOLD, record: (call) => void seen.set(JSON.stringify(call), call) })
  try {
    await runAllFlows({ app, token: await app.token() })
  } finally {
    await app.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
  return [...seen.values()]
}

function callOfRole({ functionId, roleArn, ...call }: RecordedCall): ServiceCall {
  return { ...call, roleId: roleArn === undefined ? roleOf(functionId) : roleIdOf(roleArn) }
}

function roleOf(functionId: string): string {
  const fn: FunctionRole | undefined = functionById.get(functionId)
  if (fn === undefined) throw new RangeError(`The template has no function ${functionId}.`)
  return fn.roleId
}

function decide({ roleId, context, ...call }: ServiceCall, secure = 'true') {
  return evaluate(
    { ...call, context: { ...context, 'aws:SecureTransport': secure } },
    { identity: access.roles.get(roleId)?.statements ?? [], resource: access.resourceStatements },
  )
}

/** One action on one resource of one statement, as a request that has just that in it. */
function grants(): readonly ServiceCall[] {
  return [...access.roles.values()].flatMap(({ id: roleId, statements }) =>
    statements
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action, Resource }) =>
        Action.flatMap((action) => Resource.map((resource) => ({ roleId, action, resource, context: {} }))),
      ),
  )
}

function uses(call: ServiceCall, { roleId, action, resource }: ServiceCall): boolean {
  return call.roleId === roleId && matches({ Action: [action], Resource: [resource], Condition: {} }, call)
}

function mayTake(roleId: string, service: string, context: Request['context']): boolean {
  const request = { action: 'sts:AssumeRole', resource: '*', context }
  const trust = access.roles.get(roleId)?.trust ?? []
  return trust.some((one) => one.Principal.services.includes(service) && matches({ ...one, Resource: ['*'] }, request))
}

function admits(permission: (typeof access.permissions)[number], source: Source): boolean {
  return (
    permission.Action === 'lambda:InvokeFunction' &&
    permission.Principal === source.service &&
    nameOf(permission.FunctionName) === source.functionName &&
    fits(permission.SourceArn, source.arn)
  )
}

interface Source {
  readonly functionName: string
  readonly service: string
  readonly arn: string
}

function nameOf(functionArn: string): string {
  return functionArn.split(':').at(-1) ?? ''
}

function describe({ roleId, action, resource }: ServiceCall): string {
  return `${roleId} ${action} ${resource}`
}
