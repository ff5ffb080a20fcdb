import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../infra/errors.ts'
import { readConfig } from '../infra/read-config.ts'
import { deployedTarget, localTarget, type Target, TargetError } from './doctor/target.ts'

const STATE_DIR = resolve(import.meta.dirname, '../.backstop')

export interface Wanted {
  /** File with the outputs of a deployed stack; without it, the one that runs on this machine is meant. */
  readonly stackOutputs?: string
  /** File with the settings that it was deployed with; `backstop.config.ts` unless given. */
  readonly config?: string
}

/** The stack that a command is about. @throws TargetError which says what is missing */
export async function findTarget({ stackOutputs, config }: Wanted): Promise<Target> {
  if (stackOutputs === undefined) return localTarget(STATE_DIR)
  return deployedTarget(readOutputs(stackOutputs), await readSettings(config))
}

async function readSettings(path: string | undefined) {
  try {
    return await readConfig(path === undefined ? {} : { path })
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new TargetError(cause.message, { cause })
  }
}

function readOutputs(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new TargetError(`${path} cannot be read.`, { cause })
  }
}
