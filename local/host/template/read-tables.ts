import type { JsonObject } from './json.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

/** A DynamoDB table. */
export interface TableSpec {
  logicalId: string
  name: string
  streamArn: string
  hasStream: boolean
  /** Properties of the resource, for the engine to read. */
  properties: JsonObject
}

/** The tables of a template, of both table types. */
export function readTables(template: ResolvedTemplate): TableSpec[] {
  return template.ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map((resource) => ({
    logicalId: resource.logicalId,
    name: resource.ref,
    streamArn: resource.attributes['StreamArn'] ?? '',
    hasStream: resource.properties['StreamSpecification'] !== undefined,
    properties: resource.properties,
  }))
}
