import { expect, it } from 'vitest'
import { handleEach } from '../../../modules/runtime/telemetry/each-record.ts'

it('of ten records only the one that fails comes again', async () => {
  const handled: number[] = []

  const result = await handleEach(
    Array.from({ length: 10 }, (_, index) => index),
    (record) => `message-${record}`,
    async (record) => {
      if (record === 4) throw new Error('poison')
      handled.push(record)
    },
    () => 10_000,
  )

  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-4' }] })
  expect(handled).toHaveLength(9)
})

it('an empty batch has no failures', async () => {
  expect(
    await handleEach(
      [],
      String,
      async () => {},
      () => 10_000,
    ),
  ).toEqual({ batchItemFailures: [] })
})
