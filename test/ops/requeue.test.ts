import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import type { TaskNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies, taskPolicies } from '../../modules/core/task-policies.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { findKeysOf } from '../../modules/ledger/table/keys.ts'
import { type AttemptRow, readRow } from '../../modules/ledger/table/rows.ts'
import { startTask } from '../../modules/ledger/task/plan-task.ts'
import { ArgumentError } from '../../ops/arguments.ts'
import { openClient, openLedgerOn, openTestLedger } from '../support/ledger.ts'
import { putPayingOrder, putRaw } from '../support/ledger-builders.ts'
import { readCollectionRows } from '../support/ledger-rows.ts'
import { openWorld } from '../support/world.ts'
import { again, depsFor, freshLane, minutesAgo, NOW, putTaskRow, runCommand } from './setup.ts'

const { ledger, endpoint, table } = await openTestLedger()

it('tasks that wait after a failure are due now, spread by the rate, the oldest first', async () => {
  const lane = freshLane()
  const later = { status: 'RETRY', nextExecuteAt: plusMs(NOW, 600_000), lastErrorCode: 'HTTP_400' } as const
  const younger = await putTaskRow(ledger, lane, { ...later, createdAt: minutesAgo(15) })
  const older = await putTaskRow(ledger, lane, { ...later, createdAt: minutesAgo(30), retryCount: 3 })

  const { code, printed } = await runCommand(
    depsFor(ledger, lane),
    ...['requeue', '--channel', lane, '--status', 'RETRY', '--rate', '2/s'],
  )

  expect(code).toBe(0)
  expect(printed).toEqual([
    expect.stringMatching(
      `^done +requeue QUERY_PAYMENT .*${older.taskNo} \\(HTTP_400\\): RETRY → .* \\(alice, ${NOW}\\)$`,
    ),
    expect.stringContaining(younger.taskNo),
    '2 in all: 2 done.',
  ])
  expect(await again(ledger, older)).toMatchObject({
    status: 'RETRY',
    retryCount: 3,
    nextExecuteAt: NOW,
    wake: NOW,
    dueAt: plusMs(NOW, 150_000),
    deadlineAt: older.deadlineAt,
    rev: older.rev + 1,
  })
  expect(await again(ledger, younger)).toMatchObject({ nextExecuteAt: plusMs(NOW, 500), wake: plusMs(NOW, 500) })
})

it.each([2, 23, 24 * 30])('what was put off for %i hours is found by its state', async (hours) => {
  const lane = freshLane()
  const at = plusMs(NOW, hours * 3_600_000)
  const far = { nextExecuteAt: at, dueAt: plusMs(at, 90_000), lastErrorCode: 'GATE_PAUSED' }
  const waiting = await putTaskRow(ledger, lane, { ...far, status: 'WAITING' })
  const climbing = await putTaskRow(ledger, lane, { ...far, status: 'RETRY' })

  await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'WAITING')
  await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'RETRY')

  for (const task of [waiting, climbing]) expect((await again(ledger, task)).nextExecuteAt).toBe(NOW)
})

it('tasks of another type, another channel or a younger age are left alone', async () => {
  const lane = freshLane()
  const others = [
    await putTaskRow(ledger, lane, { status: 'RETRY', bizType: 'CLOSE_ATTEMPT' }),
    await putTaskRow(ledger, freshLane(), { status: 'RETRY' }),
    await putTaskRow(ledger, lane, { status: 'RETRY', createdAt: minutesAgo(9) }),
    await putTaskRow(ledger, lane, { status: 'PROCESSING' }),
  ]

  const args = ['--channel', lane, '--type', 'QUERY_PAYMENT', '--status', 'RETRY', '--older-than', '10m']
  const { printed } = await runCommand(depsFor(ledger, lane), 'requeue', ...args)

  expect(printed).toEqual(['Nothing found.'])
  for (const task of others) expect((await again(ledger, task)).rev).toBe(task.rev)
})

it('a ticket begins a new round under its old key, and leaves the list of tickets', async () => {
  const lane = freshLane()
  const ticket = await putTaskRow(ledger, lane, {
    status: 'MANUAL',
    source: 'RECONCILIATION',
    retryCount: 6,
    parkedMs: 5000,
    run: 1,
    failedAt: minutesAgo(12),
    idempotencyKey: 'the-first-key',
    lastErrorCode: 'TOTAL_TIME_USED_UP',
  })
  const execution = await putExecutionOf(ticket.taskNo, ticket)

  await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'MANUAL')

  const reopened = await again(ledger, ticket)
  expect(reopened).toMatchObject({
    status: 'WAITING',
    source: 'RECONCILIATION',
    retryCount: 0,
    parkedMs: 0,
    nextExecuteAt: NOW,
    wake: NOW,
    duePk: ticket.duePk,
    dueAt: plusMs(NOW, 150_000),
    deadlineAt: plusMs(NOW, taskPolicies.QUERY_PAYMENT.totalMs),
    idempotencyKey: 'the-first-key',
    run: 1,
    requestSnapshot: { requeuedBy: 'alice', requeuedAt: NOW, requeuedFor: NOW },
  })
  expect(Object.keys(reopened)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(failedAt|find.*)$/)]))
  expect(await again(ledger, execution)).toMatchObject({
    status: 'CLOSED',
    resultSnapshot: { endedBecause: 'TICKET_REOPENED' },
  })
})

/** The trigger that stands beside each ticket. */
async function putExecutionOf(ticketNo: TaskNo, { pk }: { readonly pk: string }) {
  const bizNo = bizNoOf('START_EXECUTION', { taskNo: ticketNo, run: 1 })
  const asked = { pk, bizType: 'START_EXECUTION', bizNo, source: 'POLICY', at: NOW } as const
  const { task, writes } = startTask(asked, { policies: bindPolicies({}), now: NOW })
  await commit(ledger, writes, NOW)
  return task
}

it('a reopened ticket is carried out by the worker: the order that could not be closed is closed', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const pk = `ORDER#${orderNo}`
  const closing = (await readCollectionRows(ledger, pk))
    .map(readRow)
    .find((row) => row.et === 'TASK' && row.bizType === 'CLOSE_ORDER')
  if (closing?.et !== 'TASK') throw new Error('the order has no CLOSE_ORDER')
  world.clock.advance(24 * 3_600_000)
  await forceTicket(closing.sk, pk)
  const now = world.clock.now()
  const deps = depsFor(ledger, 'unused', { now: () => now })

  const { printed } = await runCommand(
    deps,
    'requeue',
    '--channel',
    'internal',
    '--type',
    'CLOSE_ORDER',
    '--status',
    'MANUAL',
  )
  await world.run(closing)

  expect(printed).toContainEqual(expect.stringMatching(`^done .*${closing.taskNo}`))
  expect((await again(ledger, closing)).status).toBe('SUCCESS')
})

async function forceTicket(sk: string, pk: string): Promise<void> {
  const row = readRow((await readCollectionRows(ledger, pk)).find((item) => item['sk'] === sk) ?? {})
  if (row.et !== 'TASK') throw new Error('no task')
  await putRaw(ledger, { ...row, status: 'MANUAL', ...findKeysOf({ ...row, status: 'MANUAL' }) })
}

it.each<[string, readonly Partial<AttemptRow>[]]>([
  ['was sent and never closed', [{}]],
  ['ended in unknown', [{ outcome: 'unknown' }]],
  ['ended in ABANDONED', [{ outcome: 'ABANDONED' }]],
  ['ended in unknown', [{ outcome: 'unknown' }, { outcome: 'transient' }, { outcome: 'misconfigured' }]],
  // A refusal of the second sending says nothing of the first.
  ['ended in unknown', [{ outcome: 'unknown' }, { outcome: 'rejected' }]],
  ['ended in notYet', [{ outcome: 'notYet' }]],
])('a delivery whose attempt %s is refused, since the goods may have been handed over', async (reason, attempts_) => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { bizType: 'DELIVER', status: 'MANUAL', attempts_ })

  const { code, printed } = await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'MANUAL')

  expect(code).toBe(0)
  expect(printed[0]).toMatch(/^refused /)
  expect(printed[0]).toContain(reason)
  expect((await again(ledger, task)).status).toBe('MANUAL')
})

it.each<[string, readonly Partial<AttemptRow>[]]>([
  ['was refused', [{ outcome: 'rejected' }]],
  ['was refused after it never arrived', [{ outcome: 'transient' }, { outcome: 'rejected' }]],
  ['never arrived', [{ outcome: 'transient' }]],
  ['was never made', []],
])('a delivery that %s goes round again', async (_what, attempts_) => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { bizType: 'DELIVER', status: 'MANUAL', attempts_ })

  await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'MANUAL')

  expect((await again(ledger, task)).status).toBe('WAITING')
})

it.each(['REFUND', 'REVIEW', 'QUERY_REFUND'] as const)('a ticket of %s stays a person’s', async (bizType) => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { bizType, status: 'MANUAL' })

  const { printed } = await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'MANUAL')

  expect(printed[0]).toContain(`a ${bizType} is decided by a person`)
  expect((await again(ledger, task)).rev).toBe(task.rev)
})

it('a dry run shows what it would do and writes nothing', async () => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { status: 'MANUAL' })

  const { printed } = await runCommand(
    depsFor(ledger, lane),
    ...['requeue', '--channel', lane, '--status', 'MANUAL', '--dry-run', '--json'],
  )

  expect(printed.map((line): unknown => JSON.parse(line))).toMatchObject([
    { result: 'would do', action: 'requeue', item: expect.stringContaining(task.taskNo), by: 'alice', at: NOW },
    { total: 1, counts: { 'would do': 1 } },
  ])
  expect((await again(ledger, task)).rev).toBe(task.rev)
})

it('run a second time it changes nothing', async () => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { status: 'RETRY', nextExecuteAt: plusMs(NOW, 600_000) })
  const deps = depsFor(ledger, lane)
  const args = ['requeue', '--channel', lane, '--status', 'RETRY'] as const
  await runCommand(deps, ...args)

  const { printed } = await runCommand(deps, ...args)

  expect(printed).toEqual([expect.stringContaining('sent round already'), '1 in all: 1 skipped.'])
  expect((await again(ledger, task)).rev).toBe(task.rev + 1)
})

it('a task that somebody else takes meanwhile is reported as lost and keeps what it became', async () => {
  const lane = freshLane()
  const task = await putTaskRow(ledger, lane, { status: 'RETRY' })
  const client = openClient(endpoint)
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context['commandName'] === 'TransactWriteItemsCommand') await takeIt(task)
      return next(args)
    },
    { step: 'initialize' },
  )
  const raced = openLedgerOn(client, table)

  const { code, printed } = await runCommand(depsFor(raced, lane), 'requeue', '--channel', lane, '--status', 'RETRY')

  expect(code).toBe(0)
  expect(printed[0]).toMatch(/^lost /)
  expect((await again(ledger, task)).status).toBe('PROCESSING')
  client.destroy()
})

function takeIt({ pk, sk }: { readonly pk: string; readonly sk: string }): Promise<unknown> {
  return DynamoDBDocumentClient.from(openClient(endpoint)).send(
    new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: 'SET #status = :processing ADD rev :one',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':processing': 'PROCESSING', ':one': 1 },
    }),
  )
}

it.each<[string, Partial<AttemptRow>, string]>([
  ['answered since', { outcome: 'notYet', closedAt: minutesAgo(3) }, 'skipped'],
  ['answered before', { outcome: 'done', closedAt: minutesAgo(8) }, 'done'],
  ['that failed since', { outcome: 'rejected', closedAt: minutesAgo(3) }, 'done'],
])('with --no-success-since a task %s is judged by its attempts', async (_what, attempt, result) => {
  const lane = freshLane()
  await putTaskRow(ledger, lane, { status: 'RETRY', attempts_: [attempt] })

  const { printed } = await runCommand(
    depsFor(ledger, lane),
    ...['requeue', '--channel', lane, '--status', 'RETRY', '--no-success-since', minutesAgo(5)],
  )

  expect(printed[0]?.split(' ')[0]).toBe(result)
})

it('of waiting tasks those that are overdue or were put off go now, and one whose time has not come stays', async () => {
  const lane = freshLane()
  const ahead = { nextExecuteAt: plusMs(NOW, 240_000), dueAt: plusMs(NOW, 330_000) }
  const overdue = await putTaskRow(ledger, lane, {})
  const parked = await putTaskRow(ledger, lane, { ...ahead, lastErrorCode: 'GATE_PAUSED' })
  const early = await putTaskRow(ledger, lane, ahead)

  await runCommand(depsFor(ledger, lane), 'requeue', '--channel', lane, '--status', 'WAITING')

  const plan = async (task: typeof overdue) => (await again(ledger, task)).nextExecuteAt
  expect([await plan(overdue), await plan(parked)].toSorted()).toEqual([NOW, plusMs(NOW, 100)])
  expect(await plan(early)).toBe(early.nextExecuteAt)
})

it('a channel that the stack has not is said, with those that it has', async () => {
  const run = runCommand(depsFor(ledger, 'bank'), 'requeue', '--channel', 'bnak', '--status', 'RETRY')

  await expect(run).rejects.toThrow(new ArgumentError("There is no lane 'bnak'; there are bank, merchant, internal."))
})

it('a ledger that does not answer ends with 1 and says so', async () => {
  const lane = freshLane()
  const { printed, code } = await runCommand(
    depsFor({ ...ledger, table: 'no-such-table' }, lane),
    ...['requeue', '--channel', lane, '--status', 'RETRY'],
  )

  expect(code).toBe(1)
  expect(printed[0]).toMatch(/^failed +requeue the command: ResourceNotFoundException/)
})

it('notices that were given up are told again, each once, and leave the list', async () => {
  const lane = freshLane()
  const notice = await putTaskRow(ledger, lane, {
    bizType: 'NOTIFY',
    lane: 'merchant',
    status: 'CLOSED',
    failedAt: minutesAgo(10),
    createdAt: minutesAgo(25 * 60),
    requestSnapshot: { type: 'order.closed', sequence: 1, data: {} },
  })
  await putRaw(ledger, { ...notice, ...findKeysOf(notice) })
  const args = ['requeue', '--channel', 'merchant', '--type', 'NOTIFY', '--status', 'CLOSED']

  const first = await runCommand(depsFor(ledger, lane), ...args)
  const second = await runCommand(depsFor(ledger, lane), ...args)

  expect(first.printed.at(-1)).toBe('1 in all: 1 done.')
  expect(second.printed).toEqual(['Nothing found.'])
  const rows = (await readCollectionRows(ledger, notice.pk)).map(readRow)
  const again = rows.filter((row) => row.et === 'TASK' && row.status === 'WAITING')
  expect(again).toMatchObject([
    {
      bizNo: `${notice.bizNo}/replay/1`,
      idempotencyKey: notice.idempotencyKey,
      requestSnapshot: { replayOf: notice.bizNo, at: notice.createdAt, askedBy: 'alice', sequence: 1 },
    },
  ])
})
