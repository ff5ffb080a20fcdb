import type { Instant } from '../../modules/core/instant.ts'
import type { Take } from '../../modules/gate/open-gate.ts'
import type { TaskHandler, TaskView } from './task-handler.ts'
import type { WorkDeps } from './work-deps.ts'

/** A slot of every gate that the task needs, or when to come again and with what reservation. */
export type Passed =
  | { readonly kind: 'go'; readonly passes: Readonly<Record<string, number>> }
  | (Extract<Take, { kind: 'park' }> & { readonly lane: string })

/**
 * Passes the gates before the claim, so that a closed one or an empty bucket parks the task without an attempt. A first try is
 * live traffic, which has room kept for it; retries and backlog take what is left.
 * Source: docs/design/task-times.md, Order of work; docs/design/flows.md, Gate
 */
export async function passGates(deps: WorkDeps, handler: TaskHandler, view: TaskView): Promise<Passed> {
  const passes: Record<string, number> = {}
  for (const lane of new Set(lanesOf(handler, view))) {
    const taken = await deps.gate.take(lane, {
      live: view.task.attempts === 0,
      now: deps.now(),
      ...reservationOf(view, lane),
    })
    if (taken.kind === 'park') return { ...taken, lane }
    if (taken.afterMs > 0) await deps.sleep(taken.afterMs)
    passes[lane] = taken.epoch
  }
  return { kind: 'go', passes }
}

function lanesOf(handler: TaskHandler, view: TaskView): readonly string[] {
  if (handler.isLedgerWork?.(view) === true) return []
  return handler.gates?.(view) ?? (view.task.lane === 'internal' ? [] : [view.task.lane])
}

function reservationOf({ task }: TaskView, lane: string): { reservation?: { slotAt: Instant; epoch: number } } {
  const { slotAt, slotLane, gateEpoch } = task
  // A task that needs several gates holds at most one slot, of the gate that refused it last; the others do not know it.
  if (slotAt === undefined || gateEpoch === undefined || slotLane !== lane) return {}
  return { reservation: { slotAt, epoch: gateEpoch } }
}
