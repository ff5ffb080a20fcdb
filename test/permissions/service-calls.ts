import type { MappingSpec } from '../../local/host/template/read-mappings.ts'
import type { Request } from './evaluate.ts'
import type { Access, FunctionRole } from './read-roles.ts'

/** A call that AWS itself makes by a function's role: it is in no code and passes no recorder. */
export interface ServiceCall extends Request {
  readonly roleId: string
}

/**
 * What Lambda does by each function's role: write its log, send its traces if it has any, read its event sources, name what
 * failed for good.
 * Source: Lambda developer guide, "Using Lambda with Amazon SQS", "Using Lambda with DynamoDB", "Sending Lambda function logs"
 */
export function serviceCallsOf({ functions, spec }: Access): readonly ServiceCall[] {
  return functions.flatMap((fn) => [
    ...each(fn, ['logs:CreateLogStream', 'logs:PutLogEvents'], fn.logGroupArn),
    ...(fn.isTraced ? each(fn, ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*') : []),
    ...[...spec.queueMappings, ...spec.streamMappings]
      .filter(({ functionName }) => functionName === fn.name)
      .flatMap((mapping) => callsOfMapping(fn, mapping)),
  ])
}

function callsOfMapping(fn: FunctionRole, mapping: MappingSpec): readonly ServiceCall[] {
  if (mapping.kind === 'queue') {
    return each(fn, ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], mapping.queueArn)
  }
  return [
    ...each(
      fn,
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      mapping.streamArn,
    ),
    ...(mapping.onFailureArn === undefined ? [] : each(fn, ['sqs:SendMessage'], mapping.onFailureArn)),
  ]
}

function each({ roleId }: FunctionRole, actions: readonly string[], resource: string): readonly ServiceCall[] {
  return actions.map((action) => ({ roleId, action, resource, context: {} }))
}
