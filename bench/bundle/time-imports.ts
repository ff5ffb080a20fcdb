import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

const SCRIPT = `
const startedAt = performance.now()
await import(process.argv[1])
process.stdout.write(String(performance.now() - startedAt))
process.exit(0)`

/** For the SDK; nothing is called. */
const AWS_SETTINGS = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' }

/** A bundle and the environment that it reads as it is imported. */
export interface Bundle {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Imports each bundle in processes of its own, in turn, so that a slow moment of the machine meets all of them.
 * @returns ms of each import, by name
 */
export function timeImports(
  bundles: Readonly<Record<string, Bundle>>,
  rounds: number,
): Readonly<Record<string, readonly number[]>> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    const all = Object.entries(bundles)
    const first = round % all.length
    for (const [name, { path, environment }] of [...all.slice(first), ...all.slice(0, first)]) {
      const args = ['--input-type=module', '-e', SCRIPT, pathToFileURL(path).href]
      const printed = execFileSync(process.execPath, args, {
        env: { ...environment, ...AWS_SETTINGS },
        encoding: 'utf8',
      })
      times[name] = [...(times[name] ?? []), Number(printed)]
    }
  }
  return times
}
