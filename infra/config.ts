import type { z } from 'zod'
import { checkConfig } from './check-config.ts'
import { type StageConfig, type StageInput, stageSchema } from './config-schema.ts'
import { ConfigError } from './errors.ts'

/** The settings as a person writes them; what is left out has a default (`infra/config-schema.ts`). */
export type BackstopConfig = StageInput

/** Gives `backstop.config.ts` its types, so that an editor knows each setting. Checks nothing: the synth does. */
export function defineConfig(settings: BackstopConfig): BackstopConfig {
  return settings
}

/**
 * The settings of a stage, validated.
 * @throws ConfigError with one sentence per fault, each naming the setting
 */
export function parseConfig(settings: unknown): StageConfig {
  const parsed = stageSchema.safeParse(settings)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(sentenceOf).join('\n'))
  const faults = checkConfig(parsed.data)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return parsed.data
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.')
  return place === '' ? `${issue.message}.` : `${place}: ${issue.message}.`
}
