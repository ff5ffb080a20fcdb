import { describe, expect, test, vi } from 'vitest'
import { closeAttemptStory, crashEverywhere } from '../support/close-stories.ts'
import { losesAnswers, paysAt } from '../support/fake-channel.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

const ends = 'DELIVERED APPLIED'

describe.each([
  closeAttemptStory({ name: 'asked, closed, confirmed', ends }),
  closeAttemptStory({ name: 'paid at the close', ends: `${ends}+SURPLUS`, meet: paysAt('close', 1, '_2') }),
  closeAttemptStory({ name: 'no answer to two questions', ends, meet: losesAnswers('query', 2) }),
])('$name', (story) => {
  test('a crash before or after any of its calls, to ledger or channel, breaks no invariant once the system healed', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls).toContain('query')
    expect(broken).toEqual([])
  })
})
