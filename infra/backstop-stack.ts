import { Stack, Tags } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { addBackstop } from './add-backstop.ts'
import type { StageConfig } from './config-schema.ts'

/** `Backstop-<stage>`: any number of stages stand side by side in one account and Region. */
export function stackNameOf({ stage }: Pick<StageConfig, 'stage'>): string {
  return `Backstop-${stage}`
}

/** All of Backstop, for any account and Region. What it keeps (tables, bucket, secrets, users) outlives it. */
export class BackstopStack extends Stack {
  constructor(scope: Construct, id: string, { config }: { config: StageConfig }) {
    super(scope, id, {
      description: "Backstop: the safety net under a merchant's payments",
      terminationProtection: config.stage !== 'local' && config.deletionProtection,
      analyticsReporting: false,
    })
    addBackstop(this, config)
    if (config.stage !== 'local') addTags(this, config)
  }
}

/** For the bill (docs/deploy.md, "What it costs, by stage") and for whoever meets a resource in the account. */
export function addTags(scope: Construct, { stage, tags }: StageConfig): void {
  for (const [name, value] of Object.entries({ 'backstop-stage': stage, ...tags })) Tags.of(scope).add(name, value)
}
