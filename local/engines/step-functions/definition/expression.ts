import jsonata from 'jsonata'

/** Whether a text is a JSONata expression, by the delimiters that Step Functions gives it. */
export const isExpression = (text: string): boolean => text.startsWith('{%') && text.endsWith('%}') && text.length >= 4

/** The expression between the delimiters. */
export const bodyOf = (text: string): string => text.slice(2, -2).trim()

const compiled = new Map<string, jsonata.Expression>()

/** Compiles an expression once. @throws Error of jsonata with a code and a position when it cannot be read */
export function compile(body: string): jsonata.Expression {
  const known = compiled.get(body)
  if (known !== undefined) return known
  const expression = jsonata(body)
  compiled.set(body, expression)
  return expression
}
