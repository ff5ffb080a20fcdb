import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

const withDefs = z.looseObject({ $defs: z.record(z.string(), z.looseObject({})).default({}) })
const named = z.looseObject({ id: z.string() })

/** Two schemas of one id that are not the same. */
export class ComponentClashError extends Error {
  override readonly name = 'ComponentClashError'
  readonly code = 'COMPONENT_CLASH'
}

/** The named schemas of the document, collected as they are referred to. */
export class Components {
  readonly #byId = new Map<string, JsonSchema>()

  /** @throws ComponentClashError when another schema has the id */
  add(id: string, schema: JsonSchema): void {
    const existing = this.#byId.get(id)
    if (existing !== undefined && !isDeepStrictEqual(existing, schema)) {
      throw new ComponentClashError(`Two different schemas have the id '${id}'. Give one of them another.`)
    }
    this.#byId.set(id, schema)
  }

  /** A reference to the schema's own component. @throws TypeError when it has no id */
  refer(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { id } = named.parse(schema.meta() ?? {})
    this.inline(schema, io)
    return { $ref: `#/components/schemas/${id}` }
  }

  /** The schema in its place; what has an id within it is referred to. */
  inline(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const text = JSON.stringify(
      z.toJSONSchema(schema, {
        io,
        override: ({ zodSchema, jsonSchema }) => {
          // Left out of schemas with a transform, though they are examples of what is sent.
          const examples = z.globalRegistry.get(zodSchema)?.['examples']
          if (Array.isArray(examples)) jsonSchema.examples = examples
          delete jsonSchema['id']
        },
      }),
    )
    const {
      $defs,
      $schema: _,
      ...inline
    } = withDefs.parse(JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')))
    for (const [id, definition] of Object.entries($defs)) this.add(id, definition)
    return inline
  }

  schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#byId].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
