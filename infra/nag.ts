import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'

/**
 * Has the synth fail on every finding of two packs of rules that is not acknowledged. What we decided otherwise is
 * acknowledged beside the construct that it is about, each finding with a reason of its own.
 */
export function addNagChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
}
