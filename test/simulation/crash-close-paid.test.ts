import { describe, expect, it } from 'vitest'
import { closeStory } from '../support/close-stories.ts'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { paysAt } from '../support/fake-channel.ts'
import { allowSeconds } from '../support/patience.ts'

allowSeconds(120)

const ends = 'DELIVERED APPLIED'

describe.each([
  closeStory({ name: 'paid at the question', ends, meet: paysAt('query', 1) }),
  closeStory({ name: 'paid at the close', ends, meet: paysAt('close', 1) }),
  closeStory({ name: 'two payAttempts, the second paid', ends, attempts: 2, meet: paysAt('close', 1, '_2') }),
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
