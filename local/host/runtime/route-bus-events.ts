import type { EventBridge } from '../../engines/event-bridge/open-event-bridge.ts'
import { parseJson } from '../template/json.ts'
import type { RuleSpec } from '../template/read-rules.ts'
import type { Deliver } from './deliver-to-target.ts'
import { checkPattern, matchesPattern } from './match-pattern.ts'

/** Hands the events of buses to the rules whose pattern they match. */
export function routeBusEvents(
  rules: RuleSpec[],
  eventBridge: Pick<EventBridge, 'onEvent'>,
  deliver: Deliver,
): { running(): number } {
  for (const rule of rules) if (rule.pattern !== undefined) checkPattern(rule.pattern)
  let running = 0

  eventBridge.onEvent(({ bus, event }) => {
    const text = JSON.stringify(event)
    for (const rule of rules) {
      if (rule.pattern === undefined || rule.busName !== bus || !matchesPattern(rule.pattern, parseJson(text))) continue
      running += 1
      void Promise.all(rule.targets.map((target) => deliver(target.arn, target.input ?? text))).finally(() => {
        running -= 1
      })
    }
  })
  return { running: () => running }
}
