import { bodyOf, compile, isExpression } from './expression.ts'

// Step Functions' own functions, and those of JSONata that it forbids or that would read a clock which does not leap.
const refused = new Set(['partition', 'range', 'hash', 'random', 'uuid', 'parse', 'eval', 'now', 'millis'])

/**
 * Looks at every expression in a part of a state.
 * @returns what is wrong with the first bad one, `undefined` when all can be run
 */
export function findBadExpression(part: unknown): string | undefined {
  for (const text of textsIn(part)) {
    if (!isExpression(text)) {
      if (text.startsWith('{%') || text.endsWith('%}')) return `"${text}" has only one of {% and %}`
      continue
    }
    const fault = findFault(bodyOf(text))
    if (fault !== undefined) return `"${text}" ${fault}`
  }
  return undefined
}

function* textsIn(part: unknown): Generator<string> {
  if (typeof part === 'string') yield part
  else if (Array.isArray(part)) for (const item of part) yield* textsIn(item)
  else if (typeof part === 'object' && part !== null) for (const value of Object.values(part)) yield* textsIn(value)
}

function findFault(body: string): string | undefined {
  try {
    const called = functionsCalled(compile(body).ast()).find((name) => refused.has(name))
    return called === undefined ? undefined : `calls $${called}, which is not run on this machine`
  } catch (error) {
    return `cannot be read: ${error instanceof Error || isMessage(error) ? error.message : String(error)}`
  }
}

/** JSONata throws plain objects. */
const isMessage = (error: unknown): error is { message: string } =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'

/** Names after `$` anywhere in the tree, called or handed over. */
function functionsCalled(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(functionsCalled)
  if (typeof node !== 'object' || node === null) return []
  const own = 'type' in node && node.type === 'variable' && 'value' in node ? [String(node.value)] : []
  return [...own, ...Object.values(node).flatMap(functionsCalled)]
}
