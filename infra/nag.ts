import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag'

/**
 * Has the synth fail on every finding of two packs of rules that is not acknowledged. What we decided otherwise is
 * acknowledged beside the construct that it is about, each finding with a reason of its own.
 */
export function addNagChecks(app: App): void {
  Validations.of(app).addPlugins(...nagPacks(app))
}

export function nagPacks(app: App): readonly NagPack[] {
  return [new AwsSolutionsChecks(app), new ServerlessChecks(app)]
}
