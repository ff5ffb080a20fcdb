import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { KeptEvent } from '../../../../local/engines/event-bridge/event-store.ts'
import { nextFire } from '../../../../local/engines/scheduler/next-fire.ts'
import { openSqs } from '../../../../local/engines/sqs/open-sqs.ts'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { openDelivery } from '../../../../local/host/runtime/deliver-to-target.ts'
import { openHostState } from '../../../../local/host/runtime/host-state.ts'
import { routeBusEvents } from '../../../../local/host/runtime/route-bus-events.ts'
import { openScheduledRules } from '../../../../local/host/runtime/scheduled-rules.ts'
import type { Json } from '../../../../local/host/template/json.ts'
import { readRules } from '../../../../local/host/template/read-rules.ts'
import { resolveTemplate } from '../../../../local/host/template/resolve-template.ts'
import { parseTemplate } from '../../../../local/host/template/template.ts'

const MINUTE_MS = 60_000
const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:fn'

/** The rules of a template, with a function and a queue that tell what reaches them. */
async function openRules(properties: object) {
  const places = { region: 'us-east-1', accountId: '000000000000', queueBaseUrl: '', apiUrl: '' }
  const document = { Resources: { Rule: { Type: 'AWS::Events::Rule', Properties: properties } } }
  const rules = readRules(resolveTemplate(parseTemplate(document), { places, stackName: 'S', parameters: {} }))
  const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
  const sqs = openSqs({ path: ':memory:', clock, urlBase: () => '' })
  await sqs.createQueue('queue')
  const invoked: Json[] = []
  const deliver = openDelivery({
    invokeAsync: (_name, payload) => invoked.push(payload),
    sqs,
  })
  return { rules, clock, sqs, invoked, deliver }
}
const rate = (change: object = {}) => ({
  ScheduleExpression: 'rate(1 minute)',
  Targets: [{ Arn: functionArn, Id: 'T' }],
  ...change,
})

describe('a rule on a schedule', () => {
  it('gives its function the scheduled event, at the time it was due', async () => {
    const { rules, clock, invoked, deliver } = await openRules(rate())
    const scheduled = openScheduledRules({
      rules,
      clock,
      deliver,
      state: openHostState(':memory:'),
      nextFire,
      region: 'us-east-1',
      accountId: '000000000000',
    })
    const dueAt = scheduled.nextDueAt() ?? 0

    clock.leapTo(dueAt)
    await sleep(5)
    scheduled.close()

    expect(invoked).toMatchObject([
      {
        'detail-type': 'Scheduled Event',
        source: 'aws.events',
        time: `${new Date(dueAt).toISOString().slice(0, 19)}Z`,
        resources: ['arn:aws:events:us-east-1:000000000000:rule/Rule'],
      },
    ])
    expect(scheduled.nextDueAt()).toBe(dueAt + MINUTE_MS)
  })

  it('fires once for all the times that passed while the host was down', async () => {
    const { rules, clock, invoked, deliver } = await openRules(rate())
    const state = openHostState(':memory:')
    state.writeNumber('rule Rule', clock.now() - 10 * MINUTE_MS)

    const scheduled = openScheduledRules({
      rules,
      clock,
      deliver,
      state,
      nextFire,
      region: 'us-east-1',
      accountId: '000000000000',
    })
    await sleep(5)
    scheduled.close()

    expect(invoked).toHaveLength(1)
    expect(scheduled.nextDueAt()).toBeGreaterThan(clock.now())
  })

  it('that is disabled is not there', async () => {
    const { rules } = await openRules(rate({ State: 'DISABLED' }))

    expect(rules).toEqual([])
  })
})

describe('a rule on a pattern', () => {
  it('hands matching events of its bus to its targets, with its own input where it has one', async () => {
    const { rules, sqs, invoked, deliver } = await openRules({
      EventBusName: 'orders',
      EventPattern: { source: ['backstop'], detail: { to: ['PAID'] } },
      Targets: [
        { Arn: functionArn, Id: 'F' },
        { Arn: 'arn:aws:sqs:us-east-1:000000000000:queue', Id: 'Q', Input: '{"fixed":true}' },
      ],
    })
    let tell: (kept: KeptEvent) => void = () => {}
    const bus = {
      onEvent: (listener: (kept: KeptEvent) => void) => {
        tell = listener
      },
    }
    routeBusEvents(rules, bus, deliver)
    const event = (to: string) => ({
      version: '0' as const,
      id: 'id',
      'detail-type': 'order.paid',
      source: 'backstop',
      account: '000000000000',
      time: '2026-11-30T00:00:00Z',
      region: 'us-east-1',
      resources: [],
      detail: { to },
    })

    tell({ seq: 1, bus: 'orders', event: event('PAID') })
    tell({ seq: 2, bus: 'orders', event: event('CLOSED') })
    tell({ seq: 3, bus: 'default', event: event('PAID') })
    const received = await sqs.receive('queue', { max: 10, waitMs: 1_000 })

    expect(invoked).toMatchObject([{ detail: { to: 'PAID' } }])
    expect(received.map((message) => message.body)).toEqual(['{"fixed":true}'])
  })
})
