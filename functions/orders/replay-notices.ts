import type { OrderNo } from '../../modules/core/ids.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, ProblemError } from '../../modules/http-api/problem.ts'
import { eventIdOf, planReplay, sequenceOf } from '../../modules/ledger/notice/replay-notice.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { viewOrderTasks } from './close-order.ts'
import type { OrdersDeps } from './deps.ts'
import type { ReplayNoticesBody } from './notice-schemas.ts'

/**
 * Tells an order's notices once more, from a number on: for a merchant who sees a gap, or has lost what he was told.
 * @throws ProblemError ORDER_NOT_FOUND
 */
export function replayNotices(
  deps: OrdersDeps,
  orderNo: OrderNo,
  { fromSequence }: ReplayNoticesBody,
  caller: string,
): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const file = await readOrderFile(deps.ledger, orderNo)
    const { order, tasks } = file
    if (order === undefined) throw new ProblemError('ORDER_NOT_FOUND', `No order ${orderNo} was created.`)
    const asked = { by: caller, at: now }
    const planned = eventsFrom(tasks, fromSequence).map((eventId) =>
      planReplay(tasks, eventId, asked, { ...deps, now }),
    )
    const writes = planned.flatMap((plan) => plan.writes)
    const answer: Answer = {
      status: 202,
      body: viewOrderTasks(
        file,
        order,
        planned.map(({ task }) => task),
      ),
    }
    return writes.length === 0 ? { kind: 'answer', answer } : { kind: 'commit', writes, answer }
  })
}

/** Notices of one request: each is two writes at most, and an order seldom has ten. */
const MAX_REPLAYED = 40

/** Events by their number, each once, the money that came before its order first. */
function eventsFrom(tasks: readonly TaskRow[], fromSequence: number): readonly string[] {
  const numbered = tasks
    .filter((task) => task.bizType === 'NOTIFY' && (sequenceOf(task) ?? 0) >= fromSequence)
    .toSorted((a, b) => (sequenceOf(a) ?? 0) - (sequenceOf(b) ?? 0))
  return [...new Set(numbered.map(eventIdOf))].slice(0, MAX_REPLAYED)
}
