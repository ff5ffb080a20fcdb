import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { handleEach } from '../../../modules/runtime/frame/each-record.ts'

const ROOMY = { concurrency: 3, needsMs: 1000, remainingMs: () => 10_000 }
const batchOf = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const failuresOf = (ids: readonly number[]) => ({
  batchItemFailures: ids.map((id) => ({ itemIdentifier: String(id) })),
})

afterEach(() => vi.restoreAllMocks())

it('of ten records only the one that fails comes again', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const handled: number[] = []

  const result = await handleEach(
    batchOf(10),
    String,
    async (record) => {
      if (record === 4) throw new Error('poison')
      handled.push(record)
    },
    ROOMY,
  )

  expect(result).toEqual(failuresOf([4]))
  expect(handled).toHaveLength(9)
})

it('an empty batch has no failures', async () => {
  expect(await handleEach([], String, async () => {}, ROOMY)).toEqual(failuresOf([]))
})

it('a record is begun only while it can end: the rest comes again untouched', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const begun: number[] = []
  let remaining = 5000

  const result = await handleEach(
    batchOf(8),
    String,
    async (record) => {
      begun.push(record)
      await setImmediate()
      remaining -= 1000
    },
    { concurrency: 1, needsMs: 3000, remainingMs: () => remaining },
  )

  expect(begun).toEqual([0, 1, 2])
  expect(result).toEqual(failuresOf([3, 4, 5, 6, 7]))
})

it('whatever the batch, never more are under way than allowed, and each is handled once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 12 }), async (count, concurrency) => {
      const handled: number[] = []
      let underWay = 0
      let most = 0

      await handleEach(
        batchOf(count),
        String,
        async (record) => {
          most = Math.max(most, ++underWay)
          await setImmediate()
          handled.push(record)
          underWay--
        },
        { ...ROOMY, concurrency },
      )

      expect(most).toBe(Math.min(concurrency, count))
      expect(handled.toSorted((a, b) => a - b)).toEqual(batchOf(count))
    }),
  )
})
