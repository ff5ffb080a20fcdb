import { invalidParameter, SqsError } from './errors.ts'

/** Where a message goes that was received too often. */
export interface RedrivePolicy {
  readonly deadLetterTargetArn: string
  readonly maxReceiveCount: number
}

/** Attributes that were set, by wire name and in wire form. */
export type QueueAttributes = Readonly<Record<string, string>>

interface NumberRule {
  readonly min: number
  readonly max: number
  readonly initial: number
}

// Source: SQS API reference, SetQueueAttributes.
const numberRules: Readonly<Record<string, NumberRule>> = {
  DelaySeconds: { min: 0, max: 900, initial: 0 },
  MaximumMessageSize: { min: 1024, max: 1_048_576, initial: 1_048_576 },
  MessageRetentionPeriod: { min: 60, max: 1_209_600, initial: 345_600 },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: 20, initial: 0 },
  VisibilityTimeout: { min: 0, max: 43_200, initial: 30 },
  KmsDataKeyReusePeriodSeconds: { min: 60, max: 86_400, initial: 300 },
}
// Kept and given back, without effect on this machine.
const inertNames = new Set(['Policy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'SqsManagedSseEnabled'])

/** The number that holds for a queue: what was set, or the service's default. */
export const readNumber = (attributes: QueueAttributes, name: string): number =>
  Number(attributes[name] ?? numberRules[name]?.initial)

/** Defaults as GetQueueAttributes shows them. */
export const defaultAttributes = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(numberRules)
      .filter(([name]) => !name.startsWith('Kms'))
      .map(([name, { initial }]) => [name, String(initial)]),
  ),
  SqsManagedSseEnabled: 'true',
})

/** @throws SqsError InvalidAttributeValue when the policy is not one */
export function readRedrivePolicy(attributes: QueueAttributes): RedrivePolicy | undefined {
  const text = attributes['RedrivePolicy']
  if (text === undefined || text === '') return undefined
  const policy = parseObject(text)
  const [arn, max] = [policy['deadLetterTargetArn'], Number(policy['maxReceiveCount'])]
  if (typeof arn !== 'string' || !Number.isInteger(max) || max < 1 || max > 1000) {
    throw invalidParameter('RedrivePolicy', text, 'deadLetterTargetArn and a maxReceiveCount of 1 to 1000 are needed.')
  }
  return { deadLetterTargetArn: arn, maxReceiveCount: max }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    throw invalidParameter('RedrivePolicy', text, 'Redrive policy is not a valid JSON map.')
  }
}

/**
 * Checks attributes and brings template values (numbers, booleans, objects) into wire form.
 * @throws SqsError InvalidAttributeName, InvalidAttributeValue or InvalidParameterValue
 */
export function parseAttributes(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value)
    const rule = numberRules[name]
    if (rule !== undefined) checkNumber(name, attributes[name], rule)
    else if (name !== 'RedrivePolicy' && !inertNames.has(name)) {
      throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`)
    }
  }
  readRedrivePolicy(attributes)
  return attributes
}

function checkNumber(name: string, text: string, { min, max }: NumberRule): void {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return
  throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}. Allowed: ${min} to ${max}.`)
}
