import { countCalls, playWithFault, type Story, type Triggers } from './world-story.ts'

/**
 * Plays a story with a crash before its first call, and after each of its calls, to ledger, channel or merchant. Between two calls
 * an invocation leaves no trace, so a crash after one is a crash before the next.
 * @returns the calls, and what broke
 */
export async function crashEverywhere(story: Story, triggers: Triggers = 'come') {
  const { calls } = await countCalls(story)
  const broken = [...(await playWithFault(story, 1, 'crash before', triggers)).map((line) => `before all: ${line}`)]
  for (let n = 1; n <= calls.length; n++) {
    for (const line of await playWithFault(story, n, 'crash after', triggers))
      broken.push(`after ${n} ${calls[n - 1]}: ${line}`)
  }
  return { calls, broken }
}
