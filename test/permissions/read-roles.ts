import { z } from 'zod'
import type { JsonObject } from '../../local/host/template/json.ts'
import { readStack, type StackSpec } from '../../local/host/template/read-stack.ts'
import { resolveTemplate } from '../../local/host/template/resolve-template.ts'
import type { Template } from '../../local/host/template/template.ts'
import { identityPolicy, type ResourceStatement, resourcePolicy, type Statement, trustPolicy } from './policy.ts'

export const ACCOUNT_ID = '000000000000'
/** As the local stack says of itself, so that its calls and these policies speak of the same ARNs. */
const PLACES = { region: 'us-east-1', accountId: ACCOUNT_ID, queueBaseUrl: 'http://local', apiUrl: 'http://local' }

export interface RoleSpec {
  readonly id: string
  readonly statements: readonly Statement[]
  readonly trust: z.output<typeof trustPolicy>
}

export interface FunctionRole {
  readonly id: string
  readonly name: string
  /** Source file of its handler. */
  readonly entry: string
  readonly roleId: string
  /** What a log group's ARN is here; on AWS it ends in `:*`, for its streams. */
  readonly logGroupArn: string
  readonly isTraced: boolean
}

/** All of a template that decides who may do what, with every reference in it resolved. */
export interface Access {
  readonly spec: StackSpec
  readonly roles: ReadonlyMap<string, RoleSpec>
  readonly functions: readonly FunctionRole[]
  readonly resourceStatements: readonly ResourceStatement[]
  readonly permissions: readonly z.output<typeof permissionSchema>[]
  /** Physical id of a resource by its path in the CDK app. */
  ref(path: string): string
}

// Strict: policies inline, managed by AWS or bounded would be missed without a word.
const roleSchema = z.strictObject({ AssumeRolePolicyDocument: trustPolicy })
const policySchema = z.strictObject({
  PolicyName: z.string(),
  PolicyDocument: identityPolicy,
  Roles: z.array(z.string()),
})
const ownPolicySchema = z.object({ PolicyDocument: resourcePolicy })
const permissionSchema = z.strictObject({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string(),
})
const functionSchema = z.object({
  Role: z.string(),
  LoggingConfig: z.object({ LogGroup: z.string() }),
  TracingConfig: z.object({ Mode: z.string() }).optional(),
})

const OWN_POLICIES = ['AWS::SQS::QueuePolicy', 'AWS::S3::BucketPolicy', 'AWS::SNS::TopicPolicy']

/** @throws ZodError on a policy with an element that the evaluation does not know */
export function readAccess(template: Template): Access {
  const wanted = ['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::Lambda::Permission', ...OWN_POLICIES]
  const ofType = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type)
  // The local host leaves policies out; as outputs they are resolved like everything else.
  const asOutputs: JsonObject = Object.fromEntries(
    wanted.flatMap(ofType).map(([id, { Properties }]) => [id, { Value: Properties }]),
  )
  const resolved = resolveTemplate(
    { ...template, Outputs: asOutputs },
    { places: PLACES, stackName: 'BackstopStack', parameters: {} },
  )
  const read = <T>(type: string, schema: z.ZodType<T>) =>
    ofType(type).map(([id]) => ({ id, ...schema.parse(resolved.outputs[id]) }))

  const policies = read('AWS::IAM::Policy', policySchema)
  const roles = read('AWS::IAM::Role', roleSchema).map(({ id, AssumeRolePolicyDocument: trust }) => ({
    id,
    trust,
    statements: policies.filter(({ Roles }) => Roles.includes(id)).flatMap(({ PolicyDocument }) => PolicyDocument),
  }))
  return {
    spec: readStack(resolved),
    roles: new Map(roles.map((role) => [role.id, role])),
    functions: resolved.ofType('AWS::Lambda::Function').map(({ logicalId: id, ref: name, properties, metadata }) => {
      const { Role, LoggingConfig, TracingConfig } = functionSchema.parse(properties)
      const logGroupArn = `arn:aws:local:::${LoggingConfig.LogGroup}/Arn`
      const entry = String(metadata['backstop:entry'])
      return { id, name, entry, roleId: roleIdOf(Role), logGroupArn, isTraced: TracingConfig?.Mode === 'Active' }
    }),
    resourceStatements: OWN_POLICIES.flatMap((type) => read(type, ownPolicySchema)).flatMap(
      ({ PolicyDocument }) => PolicyDocument,
    ),
    permissions: read('AWS::Lambda::Permission', permissionSchema),
    ref: (path) => resolved.ref(path),
  }
}

/** Logical id of a role, which the local host gives it for a name. */
export const roleIdOf = (arn: string): string => arn.split('/').at(-1) ?? ''
