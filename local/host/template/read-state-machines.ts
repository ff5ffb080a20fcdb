import { z } from 'zod'
import { readMachine } from '../../engines/step-functions/definition/read-machine.ts'
import { TemplateError } from './errors.ts'
import { readProperties } from './read-properties.ts'
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts'

/** A state machine of the template, with what its definition leaves open put in. */
export interface StateMachineSpec {
  logicalId: string
  name: string
  arn: string
  /** JSON text in the Amazon States Language. */
  definition: string
}

const stateMachineSchema = z.object({
  DefinitionString: z.string().optional(),
  Definition: z.record(z.string(), z.json()).optional(),
  DefinitionSubstitutions: z.record(z.string(), z.coerce.string()).default({}),
  StateMachineType: z.literal('STANDARD').default('STANDARD'),
})

/** The state machines of a template. @throws TemplateError for what this machine cannot run, by state and feature */
export function readStateMachines(template: ResolvedTemplate): StateMachineSpec[] {
  return template.ofType('AWS::StepFunctions::StateMachine').map((resource) => {
    const { attributes, logicalId } = resource
    const definition = readDefinition(resource)
    return { logicalId, name: attributes['Name'] ?? logicalId, arn: attributes['Arn'] ?? '', definition }
  })
}

function readDefinition(resource: ResolvedResource): string {
  const { DefinitionString, Definition, DefinitionSubstitutions: values } = readProperties(resource, stateMachineSchema)
  const text = DefinitionString ?? (Definition && JSON.stringify(Definition))
  if (text === undefined) {
    throw new TemplateError(`${resource.logicalId}: its definition must stand in the template, not in S3.`)
  }
  // Names that are not listed stay as they are. Source: CloudFormation, AWS::StepFunctions::StateMachine
  const definition = text.replaceAll(/\$\{([\w-]+)\}/g, (place, name: string) => values[name] ?? place)
  try {
    readMachine(definition)
  } catch (cause) {
    throw new TemplateError(`${resource.logicalId}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
  return definition
}
