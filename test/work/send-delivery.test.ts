import { expect, it } from 'vitest'
import { sendDelivery } from '../../functions/work/delivering/send-delivery.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { SigningKeyError } from '../../modules/outgoing/webhook/sign-webhook.ts'
import { SecretMissingError } from '../../modules/runtime/secrets/secret-texts.ts'

const keys = { secrets: [Buffer.alloc(32, 1)] }
const done: Outcome = { kind: 'done' }

it('a delivery is sent with the keys that were fetched', async () => {
  const used: unknown[] = []

  const outcome = await sendDelivery(
    async () => keys,
    async (fetched) => {
      used.push(fetched)
      return done
    },
  )

  expect([outcome, ...used]).toEqual([done, keys])
})

it('a delivery whose keys cannot be fetched has never left', async () => {
  let isSent = false

  const outcome = await sendDelivery(
    async () => {
      throw Object.assign(new Error('no answer'), { name: 'TimeoutError' })
    },
    async () => {
      isSent = true
      return done
    },
  )

  expect(outcome).toMatchObject({ kind: 'transient', code: 'KEYS_UNAVAILABLE' })
  expect(isSent).toBe(false)
})

it.each([new SecretMissingError('merchant', undefined), new SigningKeyError()])(
  'keys that a person must fill in are told apart: $code',
  async (error) => {
    const sending = sendDelivery(
      () => Promise.reject(error),
      async () => done,
    )

    await expect(sending).rejects.toBe(error)
  },
)
