import { z } from 'zod'
import { readProperties } from './read-properties.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

/** A queue, with the attributes that SQS's CreateQueue takes. */
export interface QueueSpec {
  logicalId: string
  name: string
  url: string
  arn: string
  /** Attributes of CreateQueue, all of them text as on the wire. */
  attributes: Record<string, string>
}

const text = z.coerce.string().optional()
const queueSchema = z.object({
  DelaySeconds: text,
  MaximumMessageSize: text,
  MessageRetentionPeriod: text,
  ReceiveMessageWaitTimeSeconds: text,
  VisibilityTimeout: text,
  RedrivePolicy: z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() }).optional(),
  RedriveAllowPolicy: z.record(z.string(), z.unknown()).optional(),
  FifoQueue: z.literal(false).optional(),
})

/** The queues of a template. @throws TemplateError for a FIFO queue, which the local engine does not have */
export function readQueues(template: ResolvedTemplate): QueueSpec[] {
  return template.ofType('AWS::SQS::Queue').map((resource) => {
    const { RedrivePolicy, RedriveAllowPolicy, FifoQueue: _fifo, ...plain } = readProperties(resource, queueSchema)
    const attributes: Record<string, string> = {}
    for (const [name, value] of Object.entries(plain)) if (value !== undefined) attributes[name] = value
    if (RedrivePolicy !== undefined) attributes['RedrivePolicy'] = JSON.stringify(RedrivePolicy)
    if (RedriveAllowPolicy !== undefined) attributes['RedriveAllowPolicy'] = JSON.stringify(RedriveAllowPolicy)
    const { QueueName: name = '', Arn: arn = '' } = resource.attributes
    return { logicalId: resource.logicalId, name, url: resource.ref, arn, attributes }
  })
}
