import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

/**
 * Runs a script on a state file, kills it with -9 once it has made enough acknowledgements, and returns all it made.
 * @param statePath passed to the script; the acknowledgements stand beside it
 */
export async function killUnderLoad(script: string, statePath: string, enough: number): Promise<string[]> {
  const acknowledgementsPath = `${statePath}.acknowledged`
  const child = spawn(process.execPath, [script, statePath, acknowledgementsPath, String(enough)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.once('data', () => child.kill('SIGKILL'))
  await once(child, 'close')
  const lines = (await readFile(acknowledgementsPath, 'utf8')).split('\n')
  // The kill may cut the last line short: it acknowledges nothing.
  return lines.slice(0, -1)
}
