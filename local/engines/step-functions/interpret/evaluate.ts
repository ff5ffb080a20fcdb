import { isObject, type Json, type JsonObject, parseJson } from '../../../host/template/json.ts'
import { bodyOf, compile, isExpression } from '../definition/expression.ts'
import { StateError } from '../errors.ts'

/**
 * Puts the values of expressions into a template.
 * @throws StateError States.QueryEvaluationError when an expression fails, or gives nothing or something beyond JSON
 */
export async function evaluate(template: Json, bindings: JsonObject): Promise<Json> {
  if (typeof template === 'string') return isExpression(template) ? evaluateOne(template, bindings) : template
  if (Array.isArray(template)) return Promise.all(template.map((item) => evaluate(item, bindings)))
  if (!isObject(template)) return template
  const entries = Object.entries(template)
  return Object.fromEntries(
    await Promise.all(entries.map(async ([key, value]) => [key, await evaluate(value, bindings)] as const)),
  )
}

async function evaluateOne(text: string, bindings: JsonObject): Promise<Json> {
  let value: unknown
  try {
    value = await compile(bodyOf(text)).evaluate(undefined, bindings)
  } catch (error) {
    throw new StateError('States.QueryEvaluationError', `The expression ${text} failed: ${messageOf(error)}`)
  }
  // JSONata marks its arrays, and its functions are values: neither travels.
  const json = JSON.stringify(value)
  if (json === undefined)
    throw new StateError('States.QueryEvaluationError', `The expression ${text} returned nothing.`)
  return parseJson(json)
}

function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error
  return hasMessage ? String(error.message) : String(error)
}
