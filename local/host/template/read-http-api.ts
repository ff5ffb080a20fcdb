import { z } from 'zod'
import { TemplateError } from './errors.ts'
import { functionNameOf } from './read-mappings.ts'
import { readProperties } from './read-properties.ts'
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts'

/** One HTTP API with its routes. */
export interface HttpApiSpec {
  apiId: string
  routes: RouteSpec[]
  cors?: CorsSpec
}

/** One route to a function. */
export interface RouteSpec {
  /** "POST /callbacks/{channel}", "ANY /x/{proxy+}" or "$default". */
  routeKey: string
  functionName: string
  timeoutMs: number
  /** Present on a route that demands a token. */
  jwt?: { issuer: string; audience: string[]; scopes: string[] }
}

/** CorsConfiguration of an HTTP API. */
export interface CorsSpec {
  allowOrigins: string[]
  allowMethods: string[]
  allowHeaders: string[]
  exposeHeaders: string[]
  allowCredentials: boolean
  maxAgeSeconds?: number
}

const strings = z.array(z.string()).default([])
const apiSchema = z.object({
  ProtocolType: z.literal('HTTP'),
  CorsConfiguration: z
    .object({
      AllowOrigins: strings,
      AllowMethods: strings,
      AllowHeaders: strings,
      ExposeHeaders: strings,
      AllowCredentials: z.boolean().default(false),
      MaxAge: z.coerce.number().optional(),
    })
    .optional(),
})
const routeSchema = z.object({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: z.enum(['NONE', 'JWT']).default('NONE'),
  AuthorizerId: z.string().optional(),
  AuthorizationScopes: strings,
})
const integrationSchema = z.object({
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal('2.0'),
  TimeoutInMillis: z.coerce.number().default(30_000),
})
const authorizerSchema = z.object({
  AuthorizerType: z.literal('JWT'),
  JwtConfiguration: z.object({ Issuer: z.string(), Audience: strings }),
})

/** The HTTP APIs of a template. @throws TemplateError for an authorizer, integration or payload version not run here */
export function readHttpApis(template: ResolvedTemplate): HttpApiSpec[] {
  const routes = template.ofType('AWS::ApiGatewayV2::Route').map((resource) => readRoute(template, resource))
  return template.ofType('AWS::ApiGatewayV2::Api').map((resource) => {
    const { CorsConfiguration: cors } = readProperties(resource, apiSchema)
    return {
      apiId: resource.ref,
      routes: routes.filter((route) => route.apiId === resource.ref),
      ...(cors !== undefined && {
        cors: {
          allowOrigins: cors.AllowOrigins,
          allowMethods: cors.AllowMethods,
          allowHeaders: cors.AllowHeaders.map((name) => name.toLowerCase()),
          exposeHeaders: cors.ExposeHeaders,
          allowCredentials: cors.AllowCredentials,
          ...(cors.MaxAge !== undefined && { maxAgeSeconds: cors.MaxAge }),
        },
      }),
    }
  })
}

function readRoute(template: ResolvedTemplate, resource: ResolvedResource): RouteSpec & { apiId: string } {
  const route = readProperties(resource, routeSchema)
  const integration = readProperties(
    find(template, 'AWS::ApiGatewayV2::Integration', route.Target.replace('integrations/', ''), resource),
    integrationSchema,
  )
  const base = {
    apiId: route.ApiId,
    routeKey: route.RouteKey,
    functionName: functionNameOf(lambdaArnIn(integration.IntegrationUri)),
    timeoutMs: Math.min(integration.TimeoutInMillis, 30_000),
  }
  if (route.AuthorizationType === 'NONE') return base
  const authorizer = find(template, 'AWS::ApiGatewayV2::Authorizer', route.AuthorizerId ?? '', resource)
  const { Issuer, Audience } = readProperties(authorizer, authorizerSchema).JwtConfiguration
  return { ...base, jwt: { issuer: Issuer, audience: Audience, scopes: route.AuthorizationScopes } }
}

function find(template: ResolvedTemplate, type: string, ref: string, from: ResolvedResource): ResolvedResource {
  const found = template.ofType(type).find((candidate) => candidate.ref === ref)
  if (found !== undefined) return found
  throw new TemplateError(`${from.logicalId} names ${ref}, which is no ${type} of this template.`)
}

/** An integration may name the function by its ARN or by the invocation path around it. */
function lambdaArnIn(uri: string): string {
  return /functions\/(arn:[^/]+)\/invocations/.exec(uri)?.[1] ?? uri
}
