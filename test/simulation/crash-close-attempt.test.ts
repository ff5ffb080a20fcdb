import { describe, expect, it } from 'vitest'
import { closeAttemptStory } from '../support/close-stories.ts'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { losesAnswers, paysAt } from '../support/fake-channel.ts'
import { allowSeconds } from '../support/patience.ts'

allowSeconds(120)

const ends = 'DELIVERED APPLIED'

describe.each([
  closeAttemptStory({ name: 'asked, closed, confirmed', ends }),
  closeAttemptStory({ name: 'paid at the close', ends: `${ends}+SURPLUS`, meet: paysAt('close', 1, '_2') }),
  closeAttemptStory({ name: 'no answer to two questions', ends, meet: losesAnswers('query', 2) }),
])('$name', (story) => {
  it('a crash before or after any of its calls, to ledger or channel, breaks no invariant once the system healed', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls).toContain('query')
    expect(broken).toEqual([])
  })

  it('the sweep finishes it when no message comes again', async () => {
    const { broken } = await crashEverywhere(story, 'sweep alone')

    expect(broken).toEqual([])
  })
})
