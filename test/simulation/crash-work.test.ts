import { describe, expect, it } from 'vitest'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { allowSeconds } from '../support/patience.ts'
import {
  closeOrderStory,
  codesStory,
  deliverStory,
  ending,
  movedAttemptStory,
  notifyStory,
  orphanStory,
  refusedStory,
  settleCallbackStory,
  timeoutStory,
} from './work-stories.ts'

allowSeconds(120)

describe.each([
  closeOrderStory,
  codesStory,
  deliverStory,
  movedAttemptStory,
  notifyStory,
  ending(orphanStory, 'undefined ORPHAN'),
  refusedStory,
  settleCallbackStory,
  timeoutStory,
])('$name', (story) => {
  it('a crash before or after any of its calls breaks no invariant once the message came again', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls.length).toBeGreaterThan(2)
    expect(broken).toEqual([])
  })

  it('the sweep finishes it when no message comes again', async () => {
    const { broken } = await crashEverywhere(story, 'sweep alone')

    expect(broken).toEqual([])
  })
})
