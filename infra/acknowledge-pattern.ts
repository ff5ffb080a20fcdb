import { Stack, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import { z } from 'zod'

/**
 * Says why a policy of `scope` may end in a wildcard: the synth fails on each such resource that nobody gave a reason for.
 * @param resource as in the policy; one with another logical id needs a reason of its own
 */
export function acknowledgePattern(scope: IConstruct, resource: string, reason: string): void {
  const written = writeOut(Stack.of(scope).resolve(resource))
  Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${written}]`, reason })
}

const intrinsic = z.union([
  z.string(),
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
])

/** An ARN as cdk-nag names it in a finding: `<LogicalId.Arn>/*`. @throws ZodError on a function that it writes otherwise */
function writeOut(value: unknown): string {
  const parsed = intrinsic.parse(value)
  if (typeof parsed === 'string') return parsed
  if ('Ref' in parsed) return `<${parsed.Ref}>`
  if ('Fn::GetAtt' in parsed) return `<${parsed['Fn::GetAtt'].join('.')}>`
  const [separator, parts] = parsed['Fn::Join']
  return parts.map(writeOut).join(separator)
}
