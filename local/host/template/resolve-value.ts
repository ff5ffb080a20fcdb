import { TemplateError } from './errors.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** What the functions of a template look things up in. */
export interface ResolveScope {
  /** Value of a parameter, pseudo parameter or resource by its name. @throws TemplateError when there is none */
  ref(name: string): Json
  getAtt(logicalId: string, attribute: string): Json
  /** @throws TemplateError when the template has no such condition */
  condition(name: string): boolean
  mappings: JsonObject
}

type Resolver = (argument: Json, scope: ResolveScope) => Json | undefined

/**
 * The value with every CloudFormation function in it replaced by what it stands for.
 * @returns `undefined` for AWS::NoValue
 * @throws TemplateError on a function that has no meaning on this machine, or is used wrongly
 * Source: CloudFormation template reference, "Intrinsic functions"
 */
export function resolveValue(value: Json, scope: ResolveScope): Json | undefined {
  if (Array.isArray(value)) return resolveList(value, scope)
  if (!isObject(value)) return value
  const [key, ...others] = Object.keys(value)
  if (key !== undefined && others.length === 0 && isFunction(key, value[key])) {
    const resolver = resolvers[key]
    if (resolver === undefined) throw new TemplateError(`${key} has no meaning on this machine.`)
    return resolver(value[key] ?? null, scope)
  }
  const resolved: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    const result = resolveValue(member, scope)
    if (result !== undefined) resolved[name] = result
  }
  return resolved
}

function isFunction(key: string, argument: Json | undefined): boolean {
  // A policy statement may have a member `Condition` too; that one is an object.
  return key === 'Ref' || (key === 'Condition' && typeof argument === 'string') || key.startsWith('Fn::')
}

const resolvers: Record<string, Resolver> = {
  Ref: (name, scope) => (name === 'AWS::NoValue' ? undefined : scope.ref(text(name, 'Ref'))),
  Condition: (name, scope) => scope.condition(text(name, 'Condition')),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId = '', ...attribute] = typeof argument === 'string' ? argument.split('.') : texts(argument, scope)
    return scope.getAtt(logicalId, attribute.join('.'))
  },
  'Fn::Join': (argument, scope) => {
    const [separator, parts] = pair(argument, 'Fn::Join')
    return texts(parts, scope).join(text(separator, 'Fn::Join'))
  },
  'Fn::Split': (argument, scope) => {
    const [separator, source] = pair(argument, 'Fn::Split')
    return text(resolveValue(source, scope), 'Fn::Split').split(text(separator, 'Fn::Split'))
  },
  'Fn::Select': (argument, scope) => {
    const [index, source] = pair(argument, 'Fn::Select')
    const picked = list(resolveValue(source, scope), 'Fn::Select')[Number(resolveValue(index, scope))]
    if (picked === undefined) throw new TemplateError(`Fn::Select has no element ${JSON.stringify(index)}.`)
    return picked
  },
  'Fn::Sub': (argument, scope) => {
    const [pattern, own] = typeof argument === 'string' ? [argument, {}] : pair(argument, 'Fn::Sub')
    const values = isObject(own) ? own : {}
    return text(pattern, 'Fn::Sub').replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
      if (literal === '!') return `\${${name}}`
      const given = values[name]
      if (given !== undefined) return text(resolveValue(given, scope), 'Fn::Sub')
      const dot = name.indexOf('.')
      const found = dot < 0 ? scope.ref(name) : scope.getAtt(name.slice(0, dot), name.slice(dot + 1))
      return text(found, 'Fn::Sub')
    })
  },
  'Fn::If': (argument, scope) => {
    const [name, whenTrue, whenFalse] = list(argument, 'Fn::If')
    const chosen = scope.condition(text(name, 'Fn::If')) ? whenTrue : whenFalse
    return resolveValue(chosen ?? null, scope)
  },
  'Fn::FindInMap': (argument, scope) => {
    const [map, first, second] = texts(argument, scope)
    const row = isObject(scope.mappings[map ?? '']) ? scope.mappings[map ?? ''] : undefined
    const level = isObject(row) ? row[first ?? ''] : undefined
    const found = isObject(level) ? level[second ?? ''] : undefined
    if (found === undefined) throw new TemplateError(`Fn::FindInMap finds nothing at ${map}.${first}.${second}.`)
    return found
  },
  'Fn::GetAZs': () => ['a', 'b', 'c'].map((zone) => `us-east-1${zone}`),
  'Fn::Base64': (argument, scope) => Buffer.from(text(resolveValue(argument, scope), 'Fn::Base64')).toString('base64'),
  'Fn::Equals': (argument, scope) => {
    const [left, right] = pair(argument, 'Fn::Equals')
    return JSON.stringify(resolveValue(left, scope)) === JSON.stringify(resolveValue(right, scope))
  },
  'Fn::Not': (argument, scope) => resolveValue(list(argument, 'Fn::Not')[0] ?? null, scope) !== true,
  'Fn::And': (argument, scope) => list(argument, 'Fn::And').every((item) => resolveValue(item, scope) === true),
  'Fn::Or': (argument, scope) => list(argument, 'Fn::Or').some((item) => resolveValue(item, scope) === true),
  'Fn::ImportValue': () => {
    throw new TemplateError('Fn::ImportValue needs another stack, and only one runs on this machine.')
  },
}

function resolveList(values: Json[], scope: ResolveScope): Json[] {
  return values.map((value) => resolveValue(value, scope)).filter((value) => value !== undefined)
}

function text(value: Json | undefined, where: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TemplateError(`${where} needs text, not ${JSON.stringify(value)}.`)
}

function list(value: Json | undefined, where: string): Json[] {
  if (Array.isArray(value)) return value
  throw new TemplateError(`${where} needs a list, not ${JSON.stringify(value)}.`)
}

function texts(value: Json, scope: ResolveScope): string[] {
  return list(resolveValue(value, scope), 'A function').map((item) => text(item, 'A function'))
}

function pair(value: Json, where: string): [Json, Json] {
  const [first, second] = list(value, where)
  if (first === undefined || second === undefined) throw new TemplateError(`${where} needs two arguments.`)
  return [first, second]
}
