import { z } from 'zod'
import { isObject, type Json, type JsonObject, parseJson } from '../../../host/template/json.ts'
import { findBadErrorName } from './check-errors-named.ts'
import { findBadExpression } from './check-expressions.ts'
import { checkTransitions } from './check-transitions.ts'
import { DefinitionError } from './errors.ts'
import type { Flow, Machine, State } from './machine.ts'
import { machineSchema, stateSchemas } from './state-schemas.ts'

const maxDefinitionBytes = 1_048_576

/**
 * Reads a definition in the Amazon States Language, as far as it is run here: JSONata; Task on lambda:invoke, with or
 * without a token; Choice, inline Map, Succeed, Fail; Retry, Catch, Output, Assign, constant time-outs.
 * @throws DefinitionError naming the state and the feature for everything else
 */
export function readMachine(text: string): Machine {
  if (Buffer.byteLength(text) > maxDefinitionBytes) throw new DefinitionError('The definition is larger than 1 MiB.')
  const document = machineSchema.safeParse(parse(text))
  if (!document.success) throw refusal('The machine', document.error)
  const { StartAt, States, TimeoutSeconds } = document.data
  return { ...readFlow(StartAt, States, false), timeoutSeconds: TimeoutSeconds }
}

function parse(text: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new DefinitionError(`The definition is not JSON: ${String(cause)}`, { cause })
  }
}

function readFlow(startAt: string, states: JsonObject, isInMap: boolean): Flow {
  const flow = {
    startAt,
    states: new Map(Object.entries(states).map(([name, fields]) => [name, readState(name, fields, isInMap)])),
  }
  checkTransitions(flow)
  return flow
}

function readState(name: string, fields: Json, isInMap: boolean): State {
  const type = isObject(fields) ? fields['Type'] : undefined
  const schema = Object.entries(stateSchemas).find(([known]) => known === type)?.[1]
  if (schema === undefined) throw new DefinitionError(`State ${name}: the type ${type} is not run on this machine.`)
  const parsed = schema.safeParse(fields)
  if (!parsed.success) throw refusal(`State ${name}`, parsed.error)
  const state = parsed.data
  // A Map's own states are looked at when they are read.
  const fault = findBadExpression(state.Type === 'Map' ? { ...state, ItemProcessor: {} } : state)
  if (fault !== undefined) throw new DefinitionError(`State ${name}: ${fault}.`)
  if (state.Type === 'Task' || state.Type === 'Map') {
    const retriers = state.Type === 'Task' ? state.Retry : []
    const badName = findBadErrorName(retriers) ?? findBadErrorName(state.Catch)
    if (badName !== undefined) throw new DefinitionError(`State ${name}: ${badName}.`)
  }
  if (state.Type === 'Task' && state.Assign !== undefined) checkAssign(name, state.Assign, isInMap)
  if (state.Type !== 'Map') return state
  if (isInMap) throw new DefinitionError(`State ${name}: a Map inside a Map is not run on this machine.`)
  const { ItemProcessor, ...rest } = state
  return { ...rest, processor: readFlow(ItemProcessor.StartAt, ItemProcessor.States, true) }
}

function checkAssign(name: string, assigned: JsonObject, isInMap: boolean): void {
  if (isInMap) throw new DefinitionError(`State ${name}: Assign inside a Map is not run on this machine.`)
  if ('states' in assigned) throw new DefinitionError(`State ${name}: the variable "states" is reserved.`)
}

/** The first fault, with the field as a path. */
function refusal(where: string, error: z.ZodError): DefinitionError {
  const [issue] = error.issues
  const path = issue?.path.map(String) ?? []
  if (issue?.code === 'unrecognized_keys') {
    return new DefinitionError(`${where}: ${[...path, issue.keys[0]].join('.')} is not run on this machine.`)
  }
  return new DefinitionError(`${where}: ${path.join('.')}: ${issue?.message ?? z.prettifyError(error)}.`)
}
