import { TemplateError } from './errors.ts'
import { type FunctionSpec, readFunctions } from './read-functions.ts'
import { type HttpApiSpec, readHttpApis } from './read-http-api.ts'
import { functionNameOf, type QueueMappingSpec, readMappings, type StreamMappingSpec } from './read-mappings.ts'
import { type QueueSpec, readQueues } from './read-queues.ts'
import { type RuleSpec, readRules } from './read-rules.ts'
import { readStateMachines, type StateMachineSpec } from './read-state-machines.ts'
import { readTables, type TableSpec } from './read-tables.ts'
import { readUserPools, type UserPoolSpec } from './read-user-pools.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

/** All that runs, checked against each other. */
export interface StackSpec {
  functions: FunctionSpec[]
  queues: QueueSpec[]
  tables: TableSpec[]
  queueMappings: QueueMappingSpec[]
  streamMappings: (StreamMappingSpec & { tableName: string })[]
  rules: RuleSpec[]
  stateMachines: StateMachineSpec[]
  userPools: UserPoolSpec
  api?: HttpApiSpec
}

/**
 * Reads a template whole, before anything of it is started.
 * @throws TemplateError by logical id for what points to nothing, and for what one machine cannot run
 */
export function readStack(template: ResolvedTemplate): StackSpec {
  const functions = readFunctions(template)
  const queues = readQueues(template)
  const tables = readTables(template)
  const mappings = readMappings(template)
  const rules = readRules(template)
  const stateMachines = readStateMachines(template)
  const userPools = readUserPools(template)
  const api = readApi(template, userPools.issuers)
  const functionNames = new Set(functions.map((spec) => spec.name))
  const queueArns = new Set(queues.map((spec) => spec.arn))

  const requireFunction = (name: string, from: string) => {
    if (!functionNames.has(name)) throw new TemplateError(`${from}: the template has no function ${name}.`)
  }
  const requireTarget = (arn: string, from: string) => {
    const isFunction = arn.startsWith('arn:aws:lambda:') && functionNames.has(functionNameOf(arn))
    if (isFunction || queueArns.has(arn)) return
    throw new TemplateError(`${from}: ${arn} is neither a function nor a queue of this template.`)
  }
  for (const { functionName, routeKey } of api?.routes ?? []) requireFunction(functionName, routeKey)
  for (const mapping of mappings) {
    requireFunction(mapping.functionName, mapping.logicalId)
    if (mapping.kind === 'queue') requireTarget(mapping.queueArn, mapping.logicalId)
    else if (mapping.onFailureArn !== undefined) requireTarget(mapping.onFailureArn, mapping.logicalId)
  }
  for (const rule of rules) for (const target of rule.targets) requireTarget(target.arn, rule.logicalId)
  for (const { asyncInvoke, logicalId } of functions) {
    if (asyncInvoke.onFailureArn !== undefined) requireTarget(asyncInvoke.onFailureArn, logicalId)
  }

  return {
    functions,
    queues,
    tables,
    queueMappings: mappings.filter((mapping) => mapping.kind === 'queue'),
    streamMappings: mappings
      .filter((mapping) => mapping.kind === 'stream')
      .map((mapping) => ({ ...mapping, tableName: findStreamTable(mapping, tables) })),
    rules,
    stateMachines,
    userPools,
    ...(api !== undefined && { api }),
  }
}

function readApi(template: ResolvedTemplate, issuers: string[]): HttpApiSpec | undefined {
  const [api, another] = readHttpApis(template)
  if (another !== undefined) throw new TemplateError(`${another.apiId}: one HTTP API is run on this machine.`)
  for (const { jwt, routeKey } of api?.routes ?? []) {
    if (jwt === undefined || issuers.includes(jwt.issuer)) continue
    throw new TemplateError(`${routeKey}: tokens of ${jwt.issuer} cannot be checked on this machine.`)
  }
  return api
}

function findStreamTable(mapping: StreamMappingSpec, tables: TableSpec[]): string {
  const table = tables.find((candidate) => candidate.streamArn === mapping.streamArn && candidate.hasStream)
  if (table !== undefined) return table.name
  throw new TemplateError(`${mapping.logicalId}: ${mapping.streamArn} is no stream of this template.`)
}
