import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { collectionOf } from './ledger-builders.ts'
import type { World } from './world.ts'

/** Types that this release only holds: nothing more happens to them. */
const isHeld = (world: World, { bizType }: TaskRow): boolean => world.workDeps.handlers[bizType] === undefined

const HORIZON_MS = 4 * 3_600_000
const MAX_STEPS = 300

/**
 * What the system does by itself after a fault: each wake-up becomes a message, the clock goes on to the next due time, and the
 * sweep looks at what is overdue; until every task has ended, waits for a person, or is of a later release.
 * @param triggers 'lost': no message comes but those that the sweep asks for
 */
export async function heal(world: World, pks: readonly string[], triggers: 'come' | 'lost' = 'come'): Promise<void> {
  const horizon = plusMs(world.clock.now(), HORIZON_MS)
  const sent = new Set<string>()
  const woken = new Set<string>()
  const hasTrigger = ({ taskNo, wake }: TaskRow): boolean => triggers === 'come' || woken.has(`${taskNo} ${wake}`)
  for (let step = 0; step < MAX_STEPS; step++) {
    const open = await openTasks(world, pks)
    const now = world.clock.now()
    // A wake-up is one message, as the stream's records are; what it did not achieve is the sweep's.
    const triggered = open.filter(
      (task) => wakes(task, now) && hasTrigger(task) && !sent.has(`${task.taskNo} ${task.wake}`),
    )
    const overdue = open.filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
    for (const task of triggered) {
      sent.add(`${task.taskNo} ${task.wake}`)
      await world.run(task, `healer-${step}`)
    }
    if (triggered.length > 0) continue
    for (const task of overdue) {
      woken.add(`${task.taskNo} ${now}`)
      await sweepRow({ ledger: world.ledger, policies: world.policies }, task, now)
    }
    if (overdue.length > 0) continue
    const next = open
      .flatMap(({ wake, dueAt }) => [wake, dueAt])
      .filter((time) => time !== undefined && time > now)
      .toSorted()
      .at(0)
    if (next === undefined || next > horizon) return
    world.clock.set(next)
  }
  throw new Error('The story does not come to rest.')
}

const wakes = ({ wake }: TaskRow, now: Instant): boolean => wake !== undefined && wake <= now

/** Neither ended nor a person's nor of a later release. */
async function openTasks(world: World, pks: readonly string[]): Promise<readonly TaskRow[]> {
  const tasks = (await Promise.all(pks.map((pk) => collectionOf(world, pk)))).flatMap((file) => file.tasks)
  return tasks.filter((task) => task.dueAt !== undefined && task.status !== 'MANUAL' && !isHeld(world, task))
}
