import { expect, it } from 'vitest'
import { MERCHANT_SECRET, openJourney, tasksOf } from '../support/journey.ts'

const { merchant, stack, minutes, putOrder, file, pay } = await openJourney({ empty: ['Secrets/Merchant'] })

it('a delivery that cannot be signed waits without using a retry, and goes out once the secret is filled', async () => {
  await putOrder('UNSIGNED')
  await pay({ outTradeNo: 'UNSIGNED', txn: 'unsigned-1' })
  await minutes(12)
  const waiting = await file('UNSIGNED')

  const name = stack.resolve('Secrets/Merchant').split(':secret:')[1]
  stack.secretsManager.put(String(name), JSON.stringify({ secrets: [MERCHANT_SECRET] }))
  await minutes(6)

  const after = await file('UNSIGNED')
  const attempts = tasksOf(waiting, 'DELIVER').flatMap((task) => task.attempts)
  expect(waiting.order.status).toBe('PAID')
  expect(tasksOf(waiting, 'DELIVER')).toMatchObject([
    { status: 'RETRY', retryCount: 0, lastErrorCode: 'SECRET_MISSING' },
  ])
  expect(attempts.map(({ outcome, code }) => `${outcome} ${code}`)).toEqual(
    Array<string>(3).fill('misconfigured SECRET_MISSING'),
  )
  expect(tasksOf(waiting, 'START_EXECUTION')).toEqual([])
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'DELIVER')).toMatchObject([{ status: 'SUCCESS', retryCount: 0 }])
  expect(merchant.deliveries('UNSIGNED')).toMatchObject([{ genuine: true }])
})
