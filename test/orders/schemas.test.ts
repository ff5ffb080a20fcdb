import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as schemas from '../../functions/orders/schemas.ts'
import * as views from '../../functions/orders/view-schemas.ts'

const described = z.looseObject({ id: z.string().min(1), description: z.string().min(1) })
/** The schemas among a module's exports; the rest are constants. */
const schemasOf = (exported: Readonly<Record<string, unknown>>): [string, z.ZodType][] =>
  Object.entries(exported).flatMap(([name, value]): [string, z.ZodType][] =>
    value instanceof z.ZodType ? [[name, value]] : [],
  )
const requestSchemas = schemasOf(schemas)
const viewSchemas = schemasOf(views)

describe('every schema of the API', () => {
  it.each([...requestSchemas, ...viewSchemas])('%s has an id and says what it is', (_, schema) => {
    expect(described.safeParse(schema.meta()).error).toBeUndefined()
  })

  it('has an id of its own', () => {
    const ids = [...requestSchemas, ...viewSchemas].map(([, schema]) => schema.meta()?.id)

    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(requestSchemas)('%s is a JSON Schema of what is sent', (_, schema) => {
    expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow()
  })

  it.each(viewSchemas)('%s is a JSON Schema of what is answered', (_, schema) => {
    expect(() => z.toJSONSchema(schema, { io: 'output' })).not.toThrow()
  })
})

describe('an example in the documentation', () => {
  const examples = requestSchemas.flatMap(([name, schema]) => {
    const found: unknown = schema.meta()?.['examples']
    return Array.isArray(found) ? found.map((example: unknown) => [name, example, schema] as const) : []
  })

  it.each(examples)('of %s is accepted and fits the published pattern: %s', (_, example, schema) => {
    const { pattern } = z.looseObject({ pattern: z.string().default('') }).parse(schema.meta())

    expect(schema.safeParse(example).success).toBe(true)
    expect(String(example)).toMatch(new RegExp(pattern))
  })
})
