import { randomUUID } from 'node:crypto'
import { openAlarm } from '../clock/alarm.ts'
import type { Clock } from '../clock/clock.ts'
import type { RuleSpec } from '../template/read-rules.ts'
import type { Deliver } from './deliver-to-target.ts'
import type { HostState } from './host-state.ts'

/** The rules of the stack that fire by time. */
export interface ScheduledRules {
  nextDueAt(): number | undefined
  /** Firings whose targets have not accepted the event yet. */
  running(): number
  close(): void
}

export interface ScheduledRulesOptions {
  rules: RuleSpec[]
  clock: Clock
  state: HostState
  deliver: Deliver
  /** The next instant of an expression after another, both in ms since the epoch. */
  nextFire: (expression: string, timeZone: string, afterMs: number) => number | undefined
  region: string
  accountId: string
}

/**
 * Fires `AWS::Events::Rule` resources with a ScheduleExpression. What fell due while the host was down fires once.
 */
export function openScheduledRules(options: ScheduledRulesOptions): ScheduledRules {
  const { clock, state } = options
  const planned = new Map<RuleSpec, number>()
  let running = 0

  const plan = (rule: RuleSpec, schedule: string, firedAt: number) => {
    state.writeNumber(`rule ${rule.logicalId}`, firedAt)
    const next = options.nextFire(schedule, 'UTC', firedAt)
    if (next === undefined) planned.delete(rule)
    else planned.set(rule, next)
  }
  for (const rule of options.rules) {
    if (rule.schedule !== undefined)
      plan(rule, rule.schedule, state.readNumber(`rule ${rule.logicalId}`) ?? clock.now())
  }

  const fire = async (rule: RuleSpec, dueAt: number): Promise<void> => {
    const event = describeFiring(rule, dueAt, options)
    await Promise.all(rule.targets.map((target) => options.deliver(target.arn, target.input ?? event)))
  }
  const fireDue = () => {
    const now = clock.now()
    for (const [rule, dueAt] of planned) {
      if (dueAt > now || rule.schedule === undefined) continue
      running += 1
      void fire(rule, dueAt).finally(() => {
        running -= 1
      })
      // From the due time, so that a late firing does not shift all that follow; what was missed is not made up for.
      const next = options.nextFire(rule.schedule, 'UTC', dueAt)
      plan(rule, rule.schedule, next !== undefined && next > now ? dueAt : now)
    }
  }
  const nextDueAt = () => (planned.size === 0 ? undefined : Math.min(...planned.values()))
  const alarm = openAlarm(clock, nextDueAt, fireDue)
  return { nextDueAt, running: () => running, close: () => alarm.close() }
}

function describeFiring(rule: RuleSpec, dueAt: number, place: { region: string; accountId: string }): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: place.accountId,
    time: `${new Date(dueAt).toISOString().slice(0, 19)}Z`,
    region: place.region,
    resources: [rule.arn],
    detail: {},
  })
}
