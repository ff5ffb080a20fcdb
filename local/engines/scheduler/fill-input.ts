import { type PendingInvocation, scheduleArn } from './schedule.ts'

const toSeconds = (instantMs: number): string => new Date(instantMs).toISOString().replace(/\.\d{3}Z$/, 'Z')

/** An instant as the scheduler writes it: UTC, whole seconds. */
export const formatInstant = toSeconds

/**
 * The payload of one try: Input with its context attributes filled in, or the service's default event.
 * Source: EventBridge Scheduler User Guide, "Adding context attributes".
 */
export function fillInput(invocation: PendingInvocation): string {
  const arn = scheduleArn(invocation.group, invocation.name)
  const input = invocation.target.Input
  if (input === undefined) return defaultEvent(invocation, arn)
  const values: Readonly<Record<string, string>> = {
    'schedule-arn': arn,
    'scheduled-time': toSeconds(invocation.scheduledAt),
    'execution-id': invocation.executionId,
    'attempt-number': String(invocation.attempt),
  }
  return input.replace(/<aws\.scheduler\.([a-z-]+)>/g, (whole, key: string) => values[key] ?? whole)
}

const defaultEvent = (invocation: PendingInvocation, arn: string): string =>
  JSON.stringify({
    version: '0',
    id: invocation.executionId,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: '000000000000',
    time: toSeconds(invocation.scheduledAt),
    region: 'us-east-1',
    resources: [arn],
    detail: '{}',
  })
