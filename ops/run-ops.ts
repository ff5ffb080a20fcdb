import { ArgumentError, type Command } from './arguments.ts'
import type { OpsDeps } from './deps.ts'
import { formatCount, formatLine, type Line, type Result } from './line.ts'
import { moveGate } from './move-gate.ts'
import { redrive } from './redrive.ts'
import { requeue } from './requeue.ts'
import { lookBeforeTeardown } from './teardown.ts'

/**
 * Carries out one command and prints a line for each item as it is done, then the count.
 * @returns the exit code: 1 when an item failed, or a teardown meets what is open
 * @throws ArgumentError before anything was changed; errors of what the command looks at
 */
export async function runOps(
  deps: OpsDeps,
  command: Command,
  json: boolean,
  print: (line: string) => void,
): Promise<number> {
  const stamp = () => ({ by: deps.by, at: deps.now() })
  const results: Result[] = []
  try {
    for await (const line of linesOf(deps, command)) {
      results.push(line.result)
      print(formatLine(line, stamp(), json))
    }
  } catch (error) {
    if (error instanceof ArgumentError) throw error
    results.push('failed')
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error'
    print(formatLine({ result: 'failed', action: command.name, item: 'the command', detail }, stamp(), json))
  }
  print(formatCount(results, stamp(), json))
  // What is open has to stop a script that would destroy the stack.
  const isStopped = results.includes('failed') || (command.name === 'teardown' && results.includes('refused'))
  return isStopped ? 1 : 0
}

function linesOf(deps: OpsDeps, command: Command): AsyncGenerator<Line> {
  switch (command.name) {
    case 'requeue':
      return requeue(deps, command)
    case 'redrive':
      return redrive(deps, command)
    case 'gate show':
    case 'gate pause':
    case 'gate resume':
      return moveGate(deps, command)
    case 'teardown':
      return lookBeforeTeardown(deps)
  }
}
