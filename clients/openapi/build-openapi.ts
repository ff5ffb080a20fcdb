import type { z } from 'zod'
import { type OperationId, routeList } from '../../functions/orders/routes.ts'
import { problemView } from '../../functions/orders/view-schemas.ts'
import { problems } from '../../modules/http-api/problem.ts'
import { noBody, problemsOf, type RouteSpec } from '../../modules/http-api/route-spec.ts'
import { scopeDescriptions } from '../../modules/http-api/scopes.ts'
import { Components, type JsonSchema } from './components.ts'
import { requestExamples } from './examples.ts'

const TAGS = {
  orders: 'What is watched: orders, tries to pay them, their files.',
  tasks: 'What is still to be done.',
  stock: 'What is there to be sold, and codes.',
} as const satisfies Record<RouteSpec['tag'], string>

/** Answers of the gateway itself, before any of our code runs. */
const GATEWAY = {
  401: {
    description: 'No token, or one that is not valid (any more).',
    ...jsonOf({ $ref: '#/components/schemas/GatewayRefusal' }),
  },
  403: {
    description: "The token lacks the route's scope.",
    ...jsonOf({ $ref: '#/components/schemas/GatewayRefusal' }),
  },
  429: {
    description: 'Too many requests at once. Send it again later.',
    ...jsonOf({ $ref: '#/components/schemas/GatewayRefusal' }),
  },
}

/** The API as OpenAPI 3.1, from the table of routes and the schemas that the code reads and answers with. */
export function buildOpenApi(version: string): Record<string, unknown> {
  const components = new Components()
  components.add('GatewayRefusal', {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
    description: 'A refusal of the gateway.',
  })
  components.refer(problemView, 'output')
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routeList) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, components) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Backstop',
      version,
      summary: "The safety net under a merchant's payments.",
      description:
        'Amounts are whole numbers of minor units. Unknown fields are ignored. Every refusal is a Problem (RFC 9457) with a stable `code`. After a 503 the same request may be sent again.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: 'http://127.0.0.1:8787', description: 'npm start' },
      {
        url: '{apiUrl}',
        description: 'The output ApiUrl of the stack.',
        variables: { apiUrl: { default: 'https://api.example' } },
      },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: components.schemas(), securitySchemes: { token: securityScheme() } },
  }
}

function securityScheme() {
  return {
    type: 'oauth2',
    description: 'Client credentials of the user pool (output TokenUrl), or of the issuer in backstop.config.ts.',
    flows: {
      clientCredentials: {
        tokenUrl: 'https://auth.example/oauth2/token',
        scopes: Object.fromEntries(
          Object.entries(scopeDescriptions).map(([scope, description]) => [`backstop/${scope}`, description]),
        ),
      },
    },
  }
}

function operationOf(route: RouteSpec & { readonly id: OperationId }, components: Components) {
  const parameters = [
    ...parametersOf(route.params, 'path', components),
    ...parametersOf(route.query, 'query', components),
    ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ]
  const examples = requestExamples[route.id]
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: [{ token: [`backstop/${route.scope}`] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== noBody && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: components.refer(route.body, 'input'), ...(examples && { examples }) },
        },
      },
    }),
    responses: { ...answersOf(route, components), ...GATEWAY, ...refusalsOf(route) },
  }
}

function parametersOf(schema: z.ZodObject, where: 'path' | 'query', components: Components) {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = components.inline(field, 'input')
    return {
      name,
      in: where,
      ...(where === 'path' && { required: true }),
      ...(typeof description === 'string' && { description }),
      schema: rest,
    }
  })
}

function answersOf({ answers }: RouteSpec, components: Components) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, headers = {} }]) => [
      status,
      {
        description,
        ...(Object.keys(headers).length > 0 && {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
          ),
        }),
        ...jsonOf(components.refer(schema, 'output')),
      },
    ]),
  )
}

/** Refusals by status, each code with its title. */
function refusalsOf(route: RouteSpec) {
  const byStatus = Map.groupBy(new Set(problemsOf(route)), (code) => problems[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
        content: {
          'application/problem+json': {
            schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
          },
        },
      },
    ]),
  )
}

function jsonOf(schema: JsonSchema) {
  return { content: { 'application/json': { schema } } }
}
