import { afterEach, expect, it, vi } from 'vitest'
import { parseTaskNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { noticeTypes } from '../../modules/core/notice.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { listTasks } from '../../modules/ledger/read/list-tasks.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { sure } from '../support/core-builders.ts'
import { fileOf, forceOrder, orderOf, putOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { START } from '../support/world-bank.ts'
import { heal } from '../support/world-heal.ts'

const A_TASK = sure(parseTaskNo('MFZWIZLTMVRXK4TFORSWY2LOMU'))

/** An order that was closed, whose one notice waits. */
async function aNotice() {
  const world = await openWorld({ notices: new Set(noticeTypes) })
  const orderNo = await putOrder(world)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
  const noticeNow = async (): Promise<TaskRow> => taskOf(await fileOf(world, orderNo), 'NOTIFY')
  return { world, orderNo, noticeNow }
}

async function tryAt({ world, noticeNow }: { world: World; noticeNow: () => Promise<TaskRow> }, answer: Outcome) {
  world.merchant.answer = () => answer
  world.clock.set((await noticeNow()).nextExecuteAt)
  await world.run(await noticeNow())
  return noticeNow()
}

const lines: string[] = []
const watchLines = () =>
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
afterEach(() => {
  lines.length = 0
  vi.restoreAllMocks()
})

it.each([200, 202, 204])('a notice that is answered %d is taken', async (httpStatus) => {
  const scene = await aNotice()
  // What the answer means is for the webhook client to say: 202 is its "not yet".
  const answer: Outcome =
    httpStatus === 202 ? { kind: 'notYet', code: 'ACCEPTED_NOT_DONE', httpStatus } : { kind: 'done', httpStatus }

  const task = await tryAt(scene, answer)

  expect(task).toMatchObject({ status: 'SUCCESS', lane: 'merchant' })
})

it('every try has the same id and the same bytes', async () => {
  const scene = await aNotice()

  for (let n = 0; n < 3; n++) await tryAt(scene, { kind: 'unknown', code: 'HTTP_500', httpStatus: 500 })
  await tryAt(scene, { kind: 'done', httpStatus: 200 })

  const { received } = scene.world.merchant
  expect(received).toHaveLength(4)
  expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
  expect(received[0]?.id).toMatch(/^ntf_[A-Z2-7]{26}$/)
})

it('a refusal makes no ticket: the notice goes on with its ladder', async () => {
  const scene = await aNotice()

  const task = await tryAt(scene, { kind: 'rejected', code: 'HTTP_404', httpStatus: 404 })

  expect(task).toMatchObject({ status: 'RETRY', retryCount: 1, lastErrorCode: 'HTTP_404' })
})

it('an address that is not allowed uses up no retry', async () => {
  const scene = await aNotice()

  const task = await tryAt(scene, { kind: 'misconfigured', code: 'ADDRESS_NOT_ALLOWED' })

  expect(task).toMatchObject({ status: 'RETRY', retryCount: 0, lastErrorCode: 'ADDRESS_NOT_ALLOWED' })
})

it('a notice that nobody takes for a day is given up, counted, and kept where it is found', async () => {
  const scene = await aNotice()
  const { world } = scene
  watchLines()
  let task = await scene.noticeNow()
  const started = task.createdAt

  while (task.status !== 'CLOSED') task = await tryAt(scene, { kind: 'unknown', code: 'HTTP_503', httpStatus: 503 })

  expect(task).toMatchObject({ failedAt: world.clock.now(), lastErrorCode: 'TOTAL_TIME_USED_UP' })
  expect(world.clock.now() >= plusMs(started, 24 * 3_600_000)).toBe(true)
  expect(task.dueAt).toBeUndefined()
  const { tasks } = await listTasks(world.ledger, { status: 'CLOSED', lanes: ['merchant'], limit: 100 })
  expect(tasks.map(({ taskNo }) => taskNo)).toContain(task.taskNo)
  expect(lines.filter((line) => line.includes('"NoticesGivenUp":1'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('TicketsOpened'))).toHaveLength(0)
})

it('a frozen order is told of all the same', async () => {
  const scene = await aNotice()
  await forceOrder(scene.world, scene.orderNo, { frozen: { taskNo: A_TASK, reason: 'MISMATCH_AMOUNT', at: START } })

  const task = await tryAt(scene, { kind: 'done', httpStatus: 200 })

  expect(task.status).toBe('SUCCESS')
})

it('a notice is no effect on its order: it waits for none and holds none up', async () => {
  const scene = await aNotice()
  await heal(scene.world, [orderPk(scene.orderNo)])

  expect((await orderOf(scene.world, scene.orderNo)).activeTask).toBeUndefined()
  expect((await scene.noticeNow()).status).toBe('SUCCESS')
})
