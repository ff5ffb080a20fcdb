import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'

/**
 * Lets `grantee` do exactly `actions` on exactly `resources`. The grants of the CDK itself are wider: reading a table
 * there includes scans and every index, using a queue includes purging by name.
 */
export function grant(grantee: IGrantable, resources: string | readonly string[], ...actions: string[]): void {
  const resourceArns = typeof resources === 'string' ? [resources] : [...resources]
  Grant.addToPrincipal({ grantee, actions, resourceArns }).assertSuccess()
}
