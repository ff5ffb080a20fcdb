import { z } from 'zod'
import { TemplateError } from './errors.ts'
import { type Json, parseJson } from './json.ts'
import { readProperties } from './read-properties.ts'
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts'

interface MappingBase {
  logicalId: string
  functionName: string
  batchSize: number
  windowMs: number
  reportsItemFailures: boolean
  /** Patterns of FilterCriteria; a record goes on when one of them matches, or when there is none. */
  filters: Json[]
}

/** An event source mapping from a queue to a function. */
export interface QueueMappingSpec extends MappingBase {
  kind: 'queue'
  queueArn: string
  maxConcurrency?: number
}

/** An event source mapping from a table's stream to a function. */
export interface StreamMappingSpec extends MappingBase {
  kind: 'stream'
  streamArn: string
  bisectsOnError: boolean
  /** `undefined`: until the record is too old. */
  maxRetries?: number
  maxAgeMs?: number
  onFailureArn?: string
}

export type MappingSpec = QueueMappingSpec | StreamMappingSpec

const mappingSchema = z.object({
  FunctionName: z.string(),
  EventSourceArn: z.string(),
  Enabled: z.boolean().default(true),
  BatchSize: z.coerce.number().optional(),
  MaximumBatchingWindowInSeconds: z.coerce.number().default(0),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })).default([]) }).optional(),
  ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number().optional() }).optional(),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.coerce.number().default(-1),
  MaximumRecordAgeInSeconds: z.coerce.number().default(-1),
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }).optional() }).optional(),
})

/** The enabled event source mappings of a template. @throws TemplateError for a source other than SQS and DynamoDB */
export function readMappings(template: ResolvedTemplate): MappingSpec[] {
  return template.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const properties = readProperties(resource, mappingSchema)
    return properties.Enabled ? [readMapping(resource, properties)] : []
  })
}

function readMapping(resource: ResolvedResource, properties: z.output<typeof mappingSchema>): MappingSpec {
  const service = properties.EventSourceArn.split(':')[2]
  const base = {
    logicalId: resource.logicalId,
    functionName: functionNameOf(properties.FunctionName),
    windowMs: properties.MaximumBatchingWindowInSeconds * 1_000,
    reportsItemFailures: properties.FunctionResponseTypes.length > 0,
    filters: (properties.FilterCriteria?.Filters ?? []).map((filter) => parseJson(filter.Pattern)),
  }
  if (service === 'sqs') {
    const maxConcurrency = properties.ScalingConfig?.MaximumConcurrency
    return {
      ...base,
      kind: 'queue',
      queueArn: properties.EventSourceArn,
      batchSize: properties.BatchSize ?? 10,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
    }
  }
  if (service !== 'dynamodb') {
    throw new TemplateError(`${resource.logicalId}: an event source of ${service} cannot be run on this machine.`)
  }
  const onFailureArn = properties.DestinationConfig?.OnFailure?.Destination
  return {
    ...base,
    kind: 'stream',
    streamArn: properties.EventSourceArn,
    batchSize: properties.BatchSize ?? 100,
    bisectsOnError: properties.BisectBatchOnFunctionError,
    ...(properties.MaximumRetryAttempts >= 0 && { maxRetries: properties.MaximumRetryAttempts }),
    ...(properties.MaximumRecordAgeInSeconds >= 0 && { maxAgeMs: properties.MaximumRecordAgeInSeconds * 1_000 }),
    ...(onFailureArn !== undefined && { onFailureArn }),
  }
}

/** The name in a function's name or ARN. */
export function functionNameOf(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? (nameOrArn.split(':')[6] ?? nameOrArn) : nameOrArn
}
