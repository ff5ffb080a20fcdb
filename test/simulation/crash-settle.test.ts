import { describe, expect, test } from 'vitest'
import { countCalls, playWithFault } from '../support/world-story.ts'
import { applyStory, lateStory, mismatchStory, parkedStory, surplusStory } from './stories.ts'

describe.each([applyStory, lateStory, mismatchStory, parkedStory, surplusStory])('$name', (story) => {
  test('a crash before or after any of its calls breaks no invariant once the message came again', async () => {
    const { calls } = await countCalls(story)
    const broken: string[] = []

    for (let n = 1; n <= calls.length; n++) {
      for (const fault of ['crash before', 'crash after'] as const) {
        for (const line of await playWithFault(story, n, fault)) broken.push(`${fault} ${n} ${calls[n - 1]}: ${line}`)
      }
    }

    expect(calls.length).toBeGreaterThan(2)
    expect(broken).toEqual([])
  })
})
