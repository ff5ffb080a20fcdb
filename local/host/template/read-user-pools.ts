import { z } from 'zod'
import { readProperties } from './read-properties.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

const clientSchema = z.object({ AllowedOAuthScopes: z.array(z.string()).default([]) })

/** What the template says of who may call. */
export interface UserPoolSpec {
  /** Issuers as authorizers name them, one per user pool. */
  issuers: string[]
  clients: { logicalId: string; clientId: string; scopes: string[] }[]
}

/** The user pools of a template, seen as token issuers. */
export function readUserPools(template: ResolvedTemplate): UserPoolSpec {
  return {
    issuers: template.ofType('AWS::Cognito::UserPool').map((pool) => pool.attributes['ProviderURL'] ?? ''),
    clients: template.ofType('AWS::Cognito::UserPoolClient').map((resource) => ({
      logicalId: resource.logicalId,
      clientId: resource.ref,
      scopes: readProperties(resource, clientSchema).AllowedOAuthScopes,
    })),
  }
}
