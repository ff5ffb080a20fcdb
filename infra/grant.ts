import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { acknowledgePattern } from './acknowledge-pattern.ts'

/**
 * Lets `grantee` do exactly `actions` on exactly `resources`. The grants of the CDK itself are wider: reading a table
 * there includes scans and every index, using a queue includes purging by name.
 */
export function grant(grantee: IGrantable, resources: string | readonly string[], ...actions: string[]): void {
  const resourceArns = typeof resources === 'string' ? [resources] : [...resources]
  Grant.addToPrincipal({ grantee, actions, resourceArns }).assertSuccess()
}

/** As `grant`, on all names that a pattern fits. @param reason why no narrower name is known at deploy time */
export function grantPattern(grantee: IGrantable, pattern: string, reason: string, ...actions: string[]): void {
  grant(grantee, pattern, ...actions)
  const { grantPrincipal } = grantee
  if (!Construct.isConstruct(grantPrincipal)) throw new TypeError('Only a role of this stack is granted a pattern.')
  acknowledgePattern(grantPrincipal, pattern, reason)
}
