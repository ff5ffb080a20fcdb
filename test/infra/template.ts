import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { z } from 'zod'
import { BackstopStack } from '../../infra/backstop-stack.ts'
import type { StageConfig } from '../../infra/config-schema.ts'
import { localConfig } from '../../infra/local-config.ts'
import { exampleConfig } from './example.ts'

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()) })

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
  DependsOn: z.array(z.string()).optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})

const templateSchema = z.object({
  Parameters: z.record(z.string(), z.record(z.string(), z.unknown())),
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})

export type SynthesizedTemplate = z.output<typeof templateSchema>
export type SynthesizedResource = z.output<typeof resourceSchema> & { readonly id: string }

/** A CDK app with the flags of cdk.json, which does not bundle the functions. */
export function anApp(): App {
  const { context } = cdkJson.parse(JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')))
  return new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } })
}

/** The template of a stage as `cdk synth` would write it. Takes seconds: once per file. */
export function synthesize(stage: 'prod' | 'local', change: Partial<StageConfig> = {}): SynthesizedTemplate {
  const config = { ...(stage === 'local' ? localConfig() : exampleConfig()), ...change }
  const stack = new BackstopStack(anApp(), `Backstop-${stage}`, { config })
  return templateSchema.parse(Template.fromStack(stack).toJSON())
}

/** All resources of a type, with their logical ids. */
export function resourcesOf(template: SynthesizedTemplate, type: string): SynthesizedResource[] {
  return Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, resource]) => ({ ...resource, id }))
}

const reference = z.union([
  z.object({ Ref: z.string() }).transform((value) => value.Ref),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }).transform((value) => value['Fn::GetAtt'][0]),
])

/** The logical id that a value refers to, or `undefined`. */
export function referredId(value: unknown): string | undefined {
  return reference.safeParse(value).data
}

const statementSchema = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
  Resource: z.union([z.array(z.unknown()), z.unknown().transform((resource) => [resource])]).optional(),
  Principal: z.unknown().optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})
export type Statement = z.output<typeof statementSchema> & { readonly policyId: string }

/** The statements of every policy document of a type of resource. */
export function statementsOf(template: SynthesizedTemplate, type: string): Statement[] {
  const document = z.object({ PolicyDocument: z.object({ Statement: z.array(statementSchema) }) })
  return resourcesOf(template, type).flatMap((resource) =>
    document.parse(resource.Properties).PolicyDocument.Statement.map((statement) => ({
      ...statement,
      policyId: resource.id,
    })),
  )
}
