import { expect, it } from 'vitest'
import { openJourney } from '../support/journey.ts'
import { channelSecrets, stripeNotice } from '../support/journey-notices.ts'
import { callbackMessage, queueName } from '../support/journey-queues.ts'

const { stack, minutes, putOrder, file } = await openJourney({ empty: ['Secrets/Channel-stripe'] })

it('a callback that could not be booked until its queue gave up is on record, and is booked when it can be', async () => {
  await putOrder('GIVEN-UP', { closeAt: new Date(stack.clock.now() + 24 * 3_600_000).toISOString() })
  const notice = stripeNotice({ outTradeNo: 'GIVEN-UP', intent: 'pi_given_up' }, stack.clock.now())
  const body = callbackMessage(notice, stack.clock.now())
  await stack.sqs.send(queueName(stack, 'Settling/Callbacks/Queue'), { body })
  await minutes(32)
  const waiting = await file('GIVEN-UP')

  const name = stack.resolve('Secrets/Channel-stripe').split(':secret:')[1]
  stack.secretsManager.put(String(name), channelSecrets['Secrets/Channel-stripe'])
  await minutes(5)

  const after = await file('GIVEN-UP')
  expect(waiting.order.status).toBe('WAIT_PAY')
  expect(stack.sqs.counts(queueName(stack, 'Settling/Callbacks/DeadLetters/Queue')).visible).toBe(0)
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ channelTxnId: 'pi_given_up', role: 'APPLIED' }])
})
