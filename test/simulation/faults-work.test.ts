import { describe, expect, it } from 'vitest'
import { countCalls, type Fault, playWithFault } from '../support/world-story.ts'
import { closeOrderStory, deliverStory, orphanStory, settleCallbackStory } from './work-stories.ts'

const faults: readonly Fault[] = ['conflict', 'unavailable', 'answer lost once', 'answer lost']

describe.each([closeOrderStory, deliverStory, orphanStory, settleCallbackStory])('$name', (story) => {
  it.each(faults)('%s at any of its calls breaks no invariant', async (fault) => {
    const { calls } = await countCalls(story)
    const broken: string[] = []

    for (let n = 1; n <= calls.length; n++) {
      for (const line of await playWithFault(story, n, fault)) broken.push(`${n} ${calls[n - 1]}: ${line}`)
    }

    expect(broken).toEqual([])
  })
})
