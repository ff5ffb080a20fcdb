import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildOpenApi } from '../../clients/openapi/build-openapi.ts'
import { ComponentClashError, Components } from '../../clients/openapi/components.ts'
import { requestExamples } from '../../clients/openapi/examples.ts'
import { generateFiles } from '../../clients/openapi/generate.ts'
import { writeTypes } from '../../clients/openapi/write-types.ts'
import { type OperationId, routeList, routes } from '../../functions/orders/routes.ts'
import { problemView } from '../../functions/orders/view-schemas.ts'
import { problems } from '../../modules/http-api/problem.ts'
import { noBody, problemsOf } from '../../modules/http-api/route-spec.ts'

const openApi = buildOpenApi('1.0.0')

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  security: z.tuple([z.object({ token: z.tuple([z.string().startsWith('backstop/')]) })]),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
})
const { paths, components } = z
  .looseObject({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
  })
  .parse(openApi)
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, found]) => ({ ...found, key: `${method.toUpperCase()} ${path}` })),
)

describe('what is committed', () => {
  it.each(generateFiles())('is what the schemas say: $path (else: npm run openapi)', ({ path, text }) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text)
  })
})

describe('the document', () => {
  it('has every route of the table with its scope', () => {
    expect(operations.map(({ operationId, key, security }) => [operationId, key, security[0].token[0]])).toEqual(
      expect.arrayContaining(
        routeList.map(({ id, method, path, scope }) => [id, `${method} ${path}`, `backstop/${scope}`]),
      ),
    )
    expect(operations).toHaveLength(routeList.length)
  })

  it('refers to nothing that it does not have, and has nothing that is not referred to', () => {
    const referred = [...JSON.stringify(openApi).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)

    expect([...new Set(referred)].sort()).toEqual(Object.keys(components.schemas).sort())
  })

  it('says of every schema what it is', () => {
    const silent = Object.entries(components.schemas).filter(([, schema]) => typeof schema['description'] !== 'string')

    expect(silent.map(([name]) => name)).toEqual([])
  })

  it('enumerates every code of a refusal, and each stands at a route', () => {
    const { properties } = z
      .looseObject({ properties: z.looseObject({ code: z.object({ type: z.string(), enum: z.array(z.string()) }) }) })
      .parse(components.schemas['Problem'])
    const atRoutes = new Set<string>(routeList.flatMap((route) => problemsOf(route)))

    expect(properties.code.enum).toEqual(Object.keys(problems))
    expect(Object.keys(problems).filter((code) => !atRoutes.has(code))).toEqual(['ROUTE_NOT_FOUND'])
  })

  it('names each code of a route at its status', () => {
    for (const route of routeList) {
      const found = operations.find(({ operationId }) => operationId === route.id)
      for (const code of problemsOf(route)) {
        expect(found?.responses[problems[code].status]?.description, `${route.id} ${code}`).toContain(`\`${code}\``)
      }
    }
  })

  it('has a name for each variable of a path', () => {
    for (const { path, params } of routeList) {
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

      expect(Object.keys(params.shape), path).toEqual(variables)
    }
  })

  it('refuses two schemas under one name', () => {
    const found = new Components()
    found.add('A', { type: 'string' })

    expect(() => found.add('A', { type: 'string' })).not.toThrow()
    expect(() => found.add('A', { type: 'integer' })).toThrow(ComponentClashError)
  })
})

describe('an example', () => {
  const examples = Object.entries(requestExamples).flatMap(([id, found]) =>
    Object.entries(found).map(([name, { value }]) => [id, name, value] as const),
  )

  it.each(examples)('of %s is what its route takes: %s', (id, _, value) => {
    expect(routes[id as OperationId].body.safeParse(value).error).toBeUndefined()
  })

  it('stands at every route that takes a body', () => {
    const taking = routeList.filter(({ body }) => body !== noBody).map(({ id }) => id)

    expect(Object.keys(requestExamples).sort()).toEqual(taking.sort())
  })

  it('of a refusal is one', () => {
    const { examples: shown } = z.object({ examples: z.array(z.unknown()).min(1) }).parse(problemView.meta())

    for (const example of shown) expect(z.strictObject(problemView.shape).safeParse(example).error).toBeUndefined()
  })
})

describe('the types of the client', () => {
  it('tell unions, lists, maps and optional fields apart', () => {
    const text = writeTypes({
      paths: {},
      components: {
        schemas: {
          A: {
            type: 'object',
            properties: {
              kind: { const: "it's" },
              'odd-name': { enum: ['x', 'y'] },
              list: { type: 'array', items: { $ref: '#/components/schemas/B' } },
              any: {},
            },
            required: ['kind'],
          },
          B: { oneOf: [{ type: 'integer' }, { type: 'object', additionalProperties: { type: 'boolean' } }] },
        },
      },
    })

    expect(text).toContain("readonly kind: 'it\\'s'")
    expect(text).toContain("readonly 'odd-name'?: 'x' | 'y'")
    expect(text).toContain('readonly list?: readonly (B)[]')
    expect(text).toContain('readonly any?: unknown')
    expect(text).toContain('export type B = number | Readonly<Record<string, boolean>>')
  })
})
