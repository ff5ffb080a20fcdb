import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkSample } from './check-sample.ts'
import { parseConfig } from './config.ts'
import type { StageConfig } from './config-schema.ts'
import { ConfigError } from './errors.ts'

const ROOT = resolve(import.meta.dirname, '..')
export const CONFIG_FILE = 'backstop.config.ts'

export interface ReadConfigOptions {
  /** Another file than `backstop.config.ts`: one per stage. */
  readonly path?: string
  /** For a synthesis that nobody deploys: CI of this repository. */
  readonly isSampleAllowed?: boolean
}

/**
 * The settings in a file whose default export is made by `defineConfig`.
 * @throws ConfigError when it is not there, is still the sample, means the local stage, or has faults
 */
export async function readConfig({
  path = CONFIG_FILE,
  isSampleAllowed = false,
}: ReadConfigOptions = {}): Promise<StageConfig> {
  const file = resolve(ROOT, path)
  const name = relative(ROOT, file)
  if (!existsSync(file)) {
    throw new ConfigError(`There is no ${name}. Write one with "npm run init"; docs/deploy.md says what is in it.`)
  }
  const module: unknown = await import(pathToFileURL(file).href)
  const settings = module !== null && typeof module === 'object' && 'default' in module ? module.default : undefined
  return inFile(name, () => checkDeployable(parseConfig(settings), isSampleAllowed))
}

/** Settings that may leave this machine. @throws ConfigError */
export function checkDeployable(config: StageConfig, isSampleAllowed = false): StageConfig {
  if (config.stage === 'local') {
    throw new ConfigError('stage: local has keys that everybody knows and runs on one machine only; choose another.')
  }
  const faults = isSampleAllowed ? [] : checkSample(config)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

function inFile(name: string, read: () => StageConfig): StageConfig {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const sentences = error.message.split('\n').map((sentence) => `${name}: ${sentence}`)
    throw new ConfigError(sentences.join('\n'), { cause: error })
  }
}
