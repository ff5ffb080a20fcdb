import { describe, expect, test, vi } from 'vitest'
import { closeStory, crashEverywhere } from '../support/close-stories.ts'
import { losesAnswers } from '../support/fake-channel.ts'
import { countCalls, playWithFault, type Story } from '../support/world-story.ts'

// Seconds on a quiet machine; many more while others work on it.
vi.setConfig({ testTimeout: 60_000 })

const plain = closeStory({ name: 'asked, closed, confirmed', ends: 'CLOSED' })

describe.each([
  plain,
  closeStory({ name: 'no answer to two questions', ends: 'CLOSED', meet: losesAnswers('query', 2) }),
  closeStory({ name: 'no answer to the close, which took effect', ends: 'CLOSED', meet: losesAnswers('close', 1) }),
  closeStory({ name: 'two payAttempts', ends: 'CLOSED', attempts: 2 }),
])('$name', (story) => {
  test('a crash before or after any of its calls, to ledger or channel, breaks no invariant once the system healed', async () => {
    const { calls, broken } = await crashEverywhere(story)

    expect(calls).toContain('query')
    expect(broken).toEqual([])
  })
})

test('when every trigger is lost, the sweep alone brings a close to its end', async () => {
  const { calls } = await countCalls(plain)

  const broken = await Promise.all(calls.map((_, n) => playWithFault(plain, n + 1, 'crash after', 'lost')))

  expect(broken.flat()).toEqual([])
})

test('the simulation notices an order that closed on the word of a channel that lies', async () => {
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
