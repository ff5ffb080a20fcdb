import { nextFire, onceAt, parseExpression } from './next-fire.ts'
import type { ScheduleDefinition } from './schedule.ts'

const withinEnd = (at: number | undefined, { endAt }: ScheduleDefinition): number | undefined =>
  at === undefined || (endAt !== undefined && at > endAt) ? undefined : at

/**
 * When a schedule that was just created or changed fires first. A one-time schedule in the past fires at once, and
 * start and end do not apply to it; a rate starts at its start, or at once without one.
 * @param now ms since the epoch
 * @returns ms since the epoch; it may lie in the past
 * Source: EventBridge Scheduler User Guide, "Schedule types".
 */
export function firstFireAt(definition: ScheduleDefinition, now: number): number | undefined {
  const { expression, timeZone, startAt, isEnabled } = definition
  if (!isEnabled) return undefined
  const once = onceAt(expression, timeZone)
  if (once !== undefined) return once
  if (parseExpression(expression).kind === 'cron') {
    return withinEnd(nextFire(expression, timeZone, Math.max(now, (startAt ?? 0) - 1)), definition)
  }
  if (startAt === undefined) return withinEnd(now, definition)
  if (startAt > now) return withinEnd(startAt, definition)
  return fireAfter(definition, startAt, now)
}

/**
 * The firing that follows the one at `firedAt`.
 * @param notBefore skips to the first firing after this instant, still in step with the earlier ones
 */
export function fireAfter(
  definition: ScheduleDefinition,
  firedAt: number,
  notBefore: number = firedAt,
): number | undefined {
  const parsed = parseExpression(definition.expression)
  if (parsed.kind === 'at') return undefined
  if (parsed.kind === 'cron') {
    return withinEnd(nextFire(definition.expression, definition.timeZone, Math.max(firedAt, notBefore)), definition)
  }
  const steps = Math.max(1, Math.floor((notBefore - firedAt) / parsed.intervalMs) + 1)
  return withinEnd(firedAt + steps * parsed.intervalMs, definition)
}
