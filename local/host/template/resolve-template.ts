import { TemplateError } from './errors.ts'
import { type Identity, identifyResource, namePropertyOf, type Places, readAttribute } from './identify-resource.ts'
import type { Json, JsonObject } from './json.ts'
import { isObject } from './json.ts'
import { readParameters } from './read-parameters.ts'
import { type ResolveScope, resolveValue } from './resolve-value.ts'
import { classifyType } from './resource-types.ts'
import type { Template } from './template.ts'

/** A resource that the local host runs, with every function in its properties resolved. */
export interface ResolvedResource extends Identity {
  logicalId: string
  type: string
  properties: JsonObject
  metadata: JsonObject
}

/** A template with parameters, conditions and references put in. */
export interface ResolvedTemplate {
  /** Resources of one type in the template's order; those without local meaning are left out. */
  ofType(...types: string[]): ResolvedResource[]
  /**
   * The physical id (`Ref`) of a resource.
   * @param key its logical id, or its path in the CDK app below the stack: "Ledger/Table"
   * @throws TemplateError when there is no such resource
   */
  ref(key: string): string
  outputs: Record<string, Json>
}

/**
 * Resolves a template for one place.
 * @throws TemplateError for a resource type that is unknown here, by its logical id, and for functions that lead nowhere
 */
export function resolveTemplate(
  template: Template,
  options: { places: Places; stackName: string; parameters: Record<string, string> },
): ResolvedTemplate {
  const { places } = options
  const parameters = readParameters(template, options.parameters)
  const pseudo: Record<string, string> = {
    'AWS::AccountId': places.accountId,
    'AWS::Partition': 'aws',
    'AWS::Region': places.region,
    'AWS::StackId': `arn:aws:cloudformation:${places.region}:${places.accountId}:stack/${options.stackName}/local`,
    'AWS::StackName': options.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  }
  const identities = new Map<string, Identity>()

  const identify = (logicalId: string): { type: string; identity: Identity } => {
    const resource = template.Resources[logicalId]
    if (resource === undefined) throw new TemplateError(`The template has no resource ${logicalId}.`)
    const known = identities.get(logicalId)
    if (known !== undefined) return { type: resource.Type, identity: known }
    const property = namePropertyOf(resource.Type)
    const given = property === undefined ? undefined : resource.Properties[property]
    const name = given === undefined ? undefined : resolveValue(given, scope)
    const identity = identifyResource(resource.Type, logicalId, typeof name === 'string' ? name : undefined, places)
    identities.set(logicalId, identity)
    return { type: resource.Type, identity }
  }

  const scope: ResolveScope = {
    ref: (name) => parameters[name] ?? pseudo[name] ?? identify(name).identity.ref,
    getAtt: (logicalId, attribute) => {
      const { type, identity } = identify(logicalId)
      return readAttribute(type, logicalId, identity, attribute)
    },
    condition: (name) => {
      const condition = template.Conditions[name]
      if (condition === undefined) throw new TemplateError(`The template has no condition ${name}.`)
      return resolveValue(condition, scope) === true
    },
    mappings: template.Mappings,
  }

  const resources: ResolvedResource[] = []
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    const kind = classifyType(resource.Type)
    if (kind === 'unknown') throw new TemplateError(`${logicalId}: ${resource.Type} cannot be run on this machine.`)
    if (kind === 'without local meaning') continue
    if (resource.Condition !== undefined && !scope.condition(resource.Condition)) continue
    const properties = resolveValue(resource.Properties, scope)
    resources.push({
      logicalId,
      type: resource.Type,
      properties: isObject(properties) ? properties : {},
      metadata: resource.Metadata,
      ...identify(logicalId).identity,
    })
  }

  return {
    ofType: (...types) => resources.filter((resource) => types.includes(resource.type)),
    ref: (key) => identify(findLogicalId(template, key)).identity.ref,
    outputs: readOutputs(template.Outputs, scope),
  }
}

function findLogicalId(template: Template, key: string): string {
  if (template.Resources[key] !== undefined) return key
  const found = Object.entries(template.Resources).find(([, resource]) => pathOf(resource.Metadata) === key)
  if (found === undefined) throw new TemplateError(`The template has no resource ${key}.`)
  return found[0]
}

/** Path in the CDK app below the stack, without the name that CDK gives the resource inside its own constructs. */
export function pathOf(metadata: JsonObject): string | undefined {
  const path = metadata['aws:cdk:path']
  if (typeof path !== 'string') return undefined
  return path
    .split('/')
    .slice(1)
    .join('/')
    .replace(/\/Resource$/, '')
}

function readOutputs(outputs: JsonObject, scope: ResolveScope): Record<string, Json> {
  const values: Record<string, Json> = {}
  for (const [name, output] of Object.entries(outputs)) {
    const value = isObject(output) && output['Value'] !== undefined ? resolveValue(output['Value'], scope) : undefined
    if (value !== undefined) values[name] = value
  }
  return values
}
