import { z } from 'zod'

const schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  oneOf: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
})

const content = z.record(z.string(), z.object({ schema: z.unknown() }))
const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.enum(['path', 'query', 'header']), schema: z.unknown() }))
    .default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content })),
})
type Operation = z.output<typeof operation> & { readonly method: string; readonly path: string }

const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
})

/** The TypeScript of an OpenAPI document of ours: a type for each schema, and input and answer of each operation. */
export function writeTypes(openApi: unknown): string {
  const { paths, components } = document.parse(openApi)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]): Operation => ({ ...found, path, method: method.toUpperCase() })),
  )
  return [
    '// Generated from docs/openapi.json by `npm run openapi`. Changes belong into the route table, functions/orders/routes.ts.',
    ...Object.entries(components.schemas).map(
      ([name, found]) => `${docOf(found)}export type ${name} = ${typeOf(found)}\n`,
    ),
    `export interface Operations {\n${operations.map(interfaceOf).join('\n')}\n}\n`,
    '/** How each operation is called. */',
    `export const operations: { readonly [Id in keyof Operations]: { readonly method: string; readonly path: string } } = {`,
    ...operations.map(({ operationId, method, path }) => `  ${operationId}: { method: '${method}', path: '${path}' },`),
    '}\n',
  ].join('\n')
}

function interfaceOf(found: Operation): string {
  const parts = [
    ...partOf(found, 'path', 'params', 'required'),
    ...partOf(found, 'query', 'query', 'optional'),
    ...partOf(found, 'header', 'headers', 'optional'),
    ...(found.requestBody === undefined ? [] : [`readonly body: ${bodyOf(found.requestBody.content)}`]),
  ]
  const answers = Object.entries(found.responses).filter(([status]) => status.startsWith('2'))
  const answer = [...new Set(answers.map(([, response]) => bodyOf(response.content)))].join(' | ')
  return `/** ${found.summary}. */\n${found.operationId}: { readonly input: { ${parts.join('; ')} }; readonly answer: ${answer} }`
}

function partOf(
  { parameters }: Operation,
  where: 'path' | 'query' | 'header',
  name: string,
  need: 'required' | 'optional',
): readonly string[] {
  const found = parameters.filter((parameter) => parameter.in === where)
  if (found.length === 0) return []
  const mark = need === 'optional' ? '?' : ''
  const fields = found.map((field) => `readonly ${keyOf(field.name)}${mark}: ${typeOf(field.schema)}`)
  return [`readonly ${name}${mark}: { ${fields.join('; ')} }`]
}

function bodyOf(found: z.output<typeof content>): string {
  return typeOf(found['application/json']?.schema)
}

function typeOf(given: unknown): string {
  const found = schema.parse(given ?? {})
  if (found.$ref !== undefined) return found.$ref.split('/').at(-1) ?? 'unknown'
  if (found.const !== undefined) return literalOf(found.const)
  if (found.enum !== undefined) return found.enum.map(literalOf).join(' | ')
  const either = found.oneOf ?? found.anyOf
  if (either !== undefined) return either.map(typeOf).join(' | ')
  switch (found.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return `readonly (${typeOf(found.items)})[]`
    case 'object':
      return objectOf(found)
    default:
      return 'unknown'
  }
}

function objectOf({ properties, required, additionalProperties }: z.output<typeof schema>): string {
  if (properties === undefined) return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`
  const fields = Object.entries(properties).map(
    ([name, found]) => `${docOf(found)}readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(found)}`,
  )
  return `{\n${fields.join('\n')}\n}`
}

function docOf(given: unknown): string {
  const { description } = schema.parse(given)
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`
}

function literalOf(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}
