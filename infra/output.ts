import { CfnOutput } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/** An output under exactly this name, wherever in a stack Backstop stands: doctor, ops and people find things by it. */
export function addOutput(scope: Construct, name: string, value: string): void {
  new CfnOutput(scope, `Output${name}`, { value }).overrideLogicalId(name)
}
