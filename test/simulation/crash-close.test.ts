import { describe, expect, it } from 'vitest'
import { closeStory } from '../support/close-stories.ts'
import { crashEverywhere } from '../support/crash-everywhere.ts'
import { losesAnswers } from '../support/fake-channel.ts'
import { allowSeconds } from '../support/patience.ts'
import { playWithFault, type Story } from '../support/world-story.ts'

allowSeconds(120)

describe.each([
  closeStory({ name: 'asked, closed, confirmed', ends: 'CLOSED' }),
  closeStory({ name: 'no answer to two questions', ends: 'CLOSED', meet: losesAnswers('query', 2) }),
  closeStory({ name: 'no answer to the close, which took effect', ends: 'CLOSED', meet: losesAnswers('close', 1) }),
  closeStory({ name: 'two payAttempts', ends: 'CLOSED', attempts: 2 }),
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

it('the simulation notices an order that closed on the word of a channel that lies', async () => {
  const story = closeStory({ name: 'a lie', ends: 'CLOSED' })
  const lying: Story = {
    ...story,
    async arrange(world) {
      const scene = await story.arrange(world)
      const { channel } = world
      if (channel === undefined) throw new Error('no channel')
      const { ask } = channel
      channel.ask = (name, attempt) => {
        const asked = ask('query', attempt)
        if (name === 'query' && channel.calls.length === 1) return asked
        return { kind: 'answer', answer: { state: 'closed', outcome: { kind: 'done' } } }
      }
      return scene
    },
  }

  expect(await playWithFault(lying, 0, 'crash before')).toContainEqual(
    expect.stringContaining('is open at its channel'),
  )
})
