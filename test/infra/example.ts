import example from '../../examples/backstop.config.ts'
import { parseConfig } from '../../infra/config.ts'
import type { StageConfig } from '../../infra/config-schema.ts'

/** A stage that could be deployed: the sample of the settings, as it is committed. */
export function exampleConfig(): StageConfig {
  return parseConfig(example)
}
