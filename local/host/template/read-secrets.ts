import { z } from 'zod'
import { readProperties } from './read-properties.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

const secretSchema = z.object({
  Description: z.string().optional(),
  SecretString: z.string().optional(),
  GenerateSecretString: z
    .object({
      PasswordLength: z.coerce.number().default(32),
      ExcludePunctuation: z.boolean().default(false),
      ExcludeCharacters: z.string().default(''),
      SecretStringTemplate: z.string().optional(),
      GenerateStringKey: z.string().optional(),
    })
    .optional(),
})

export type GenerateSecretString = NonNullable<z.output<typeof secretSchema>['GenerateSecretString']>

/** A secret; without `value` and `generate` it is made empty. */
export interface SecretSpec {
  logicalId: string
  name: string
  description?: string
  value?: string
  generate?: GenerateSecretString
}

/** The secrets of a template. */
export function readSecrets(template: ResolvedTemplate): SecretSpec[] {
  return template.ofType('AWS::SecretsManager::Secret').map((resource) => {
    const { Description, SecretString, GenerateSecretString: generate } = readProperties(resource, secretSchema)
    return {
      logicalId: resource.logicalId,
      name: resource.ref.split(':secret:')[1] ?? resource.logicalId,
      ...(Description !== undefined && { description: Description }),
      ...(SecretString !== undefined && { value: SecretString }),
      ...(generate !== undefined && { generate }),
    }
  })
}
