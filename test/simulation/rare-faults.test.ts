import { expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { countCalls, playWithFault, type Story } from '../support/world-story.ts'
import { applyStory } from './settle-stories.ts'
import { closeOrderStory, deliverStory, settleCallbackStory } from './work-stories.ts'

it.each([applyStory, deliverStory])(
  '$name: a transaction that is still under way is asked for again',
  async (story) => {
    const { calls } = await countCalls(story)
    const n = calls.lastIndexOf('TransactWriteItemsCommand') + 1

    expect(n).toBeGreaterThan(0)
    expect(await playWithFault(story, n, 'inProgress')).toEqual([])
  },
)

it.each([applyStory, deliverStory, settleCallbackStory, closeOrderStory])(
  '$name: a throttled transaction is tried again within the same invocation',
  async (story) => {
    const { calls } = await countCalls(story)

    expect(await playWithFault(story, calls.indexOf('TransactWriteItemsCommand') + 1, 'throttled')).toEqual([])
  },
)

it.each([applyStory, deliverStory, settleCallbackStory, closeOrderStory])(
  '$name: when every trigger is lost, the sweep alone brings it to rest',
  async (story) => {
    const { calls } = await countCalls(story)

    for (const fault of ['crash before', 'crash after'] as const) {
      expect(await playWithFault(story, calls.length, fault, 'lost')).toEqual([])
    }
  },
)

it('the simulation notices a handler that says "taken" though it failed', async () => {
  const careless: Story = {
    ...applyStory,
    async arrange(world) {
      const scene = await applyStory.arrange(world)
      let isTaken = false
      const act = async (invocation: World) => {
        if (isTaken) return
        isTaken = true
        await scene.act(invocation).catch(() => {})
      }
      return { ...scene, act }
    },
  }

  const { calls } = await countCalls(applyStory)
  const broken = await playWithFault(careless, calls.lastIndexOf('TransactWriteItemsCommand') + 1, 'crash before')

  expect(broken).toContainEqual(expect.stringContaining('0 times'))
})

it('the simulation notices goods that went out under a new number in a second try', async () => {
  const story: Story = {
    ...deliverStory,
    async arrange(world) {
      const scene = await deliverStory.arrange(world)
      world.merchant.answer = (id) => {
        world.merchant.received.push({ id: `${id}-again`, body: world.merchant.received[0]?.body ?? '' })
        return { kind: 'done' }
      }
      return scene
    },
  }

  expect(await playWithFault(story, 99, 'crash before')).toContainEqual(expect.stringContaining("nobody's delivery"))
})
