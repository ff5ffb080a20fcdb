import { describe, expect, it } from 'vitest'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { allowSeconds } from '../support/patience.ts'
import {
  applyStory,
  closedStory,
  conflictStory,
  failedStory,
  lateStory,
  mismatchStory,
  orphanAtOnceStory,
  parkedStory,
  refundStory,
  surplusStory,
  toldAgainStory,
  unreadableStory,
} from './settle-stories.ts'

allowSeconds(120)

describe.each([
  applyStory,
  closedStory,
  conflictStory,
  failedStory,
  lateStory,
  mismatchStory,
  orphanAtOnceStory,
  parkedStory,
  refundStory,
  surplusStory,
  toldAgainStory,
  unreadableStory,
])('$name', (story) => {
  it('a crash before or after any of its calls breaks no invariant once the message came again', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls.length).toBeGreaterThan(1)
    expect(broken).toEqual([])
  })
})

describe.each([applyStory, failedStory, lateStory, orphanAtOnceStory, parkedStory, surplusStory])('$name', (story) => {
  it('the sweep finishes what is left to do when the message alone came again', async () => {
    const { broken } = await crashEverywhere(story, 'lost')

    expect(broken).toEqual([])
  })
})
