import { z } from 'zod'
import { TemplateError } from './errors.ts'
import { readProperties } from './read-properties.ts'
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts'

/** A Lambda function as the local host runs it. */
export interface FunctionSpec {
  logicalId: string
  name: string
  arn: string
  /** Source file of the handler, relative to the project's root. */
  entry: string
  /** Name under which the module exports the handler. */
  exportName: string
  timeoutMs: number
  memoryMb: number
  environment: Record<string, string>
  reservedConcurrency?: number
  asyncInvoke: AsyncInvokeSpec
}

/** What happens to an event that a service handed to the function without waiting for it. */
export interface AsyncInvokeSpec {
  maxRetries: number
  maxAgeMs: number
  onFailureArn?: string
}

const functionSchema = z.object({
  Handler: z.string().default('index.handler'),
  Timeout: z.coerce.number().default(3),
  MemorySize: z.coerce.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()).default({}) }).optional(),
  ReservedConcurrentExecutions: z.coerce.number().optional(),
  DeadLetterConfig: z.object({ TargetArn: z.string().optional() }).optional(),
})

const invokeConfigSchema = z.object({
  FunctionName: z.string(),
  MaximumRetryAttempts: z.coerce.number().optional(),
  MaximumEventAgeInSeconds: z.coerce.number().optional(),
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }).optional() }).optional(),
})

/**
 * The functions of a template.
 * @throws TemplateError for one without the metadata `backstop:entry`, unless it only serves a custom resource of CDK
 */
export function readFunctions(template: ResolvedTemplate): FunctionSpec[] {
  const invokeConfigs = template
    .ofType('AWS::Lambda::EventInvokeConfig')
    .map((resource) => readProperties(resource, invokeConfigSchema))
  return template.ofType('AWS::Lambda::Function').flatMap((resource) => {
    const entry = resource.metadata['backstop:entry']
    if (typeof entry !== 'string') {
      if (isCdkProvider(resource)) return []
      throw new TemplateError(`${resource.logicalId}: its metadata backstop:entry must name the handler's source file.`)
    }
    const config = invokeConfigs.find((candidate) => candidate.FunctionName === resource.ref)
    return [readFunction(resource, entry, config)]
  })
}

function readFunction(
  resource: ResolvedResource,
  entry: string,
  config: z.output<typeof invokeConfigSchema> | undefined,
): FunctionSpec {
  const properties = readProperties(resource, functionSchema)
  const reserved = properties.ReservedConcurrentExecutions
  const onFailureArn = config?.DestinationConfig?.OnFailure?.Destination ?? properties.DeadLetterConfig?.TargetArn
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.attributes['Arn'] ?? '',
    entry,
    exportName: properties.Handler.split('.').at(-1) ?? 'handler',
    timeoutMs: properties.Timeout * 1_000,
    memoryMb: properties.MemorySize,
    environment: properties.Environment?.Variables ?? {},
    ...(reserved !== undefined && { reservedConcurrency: reserved }),
    asyncInvoke: {
      // Lambda's own defaults: two retries, within six hours.
      maxRetries: config?.MaximumRetryAttempts ?? 2,
      maxAgeMs: (config?.MaximumEventAgeInSeconds ?? 21_600) * 1_000,
      ...(onFailureArn !== undefined && { onFailureArn }),
    },
  }
}

/** CDK's own helper functions run once, in `cdk deploy`; nothing of the app calls them. */
function isCdkProvider(resource: ResolvedResource): boolean {
  const path = resource.metadata['aws:cdk:path']
  return (
    /^(CustomS3AutoDeleteObjects|LogRetention|BucketNotificationsHandler|AWS679)/.test(resource.logicalId) ||
    (typeof path === 'string' && /\/(Custom::|BucketNotificationsHandler)/.test(path))
  )
}
