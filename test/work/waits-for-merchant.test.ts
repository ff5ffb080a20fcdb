import { expect, it } from 'vitest'
import type { Asked } from '../../functions/work/asking/channel-desk.ts'
import { waitsForMerchant } from '../../modules/channels/answers.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const held: Asked = { kind: 'answer', answer: waitsForMerchant('VERIFICATION_REQUIRED', 'Verify the account.') }

async function openHeld() {
  const channel = openFakeChannel()
  const world = await openWorld({ channel })
  const orderNo = await putPayingOrder(world)
  channel.ask = () => held
  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  return { world, orderNo }
}

it('money that waits for the merchant is a ticket at the first answer, and says what to do', async () => {
  const { world, orderNo } = await openHeld()

  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'WAITS_FOR_MERCHANT_VERIFICATION_REQUIRED',
    lastErrorMsg: 'Verify the account.',
  })
})

it('its order is not closed over money that waits, and is paid when the merchant let it through', async () => {
  const { world, orderNo } = await openHeld()

  await runWhenDue(world, orderNo, 'CLOSE_ORDER')
  const before = endOf(await fileOf(world, orderNo))
  await world.take(aCallback(paid(orderNo)))

  expect([before, endOf(await fileOf(world, orderNo))]).toEqual(['PAYING', 'PAID APPLIED'])
})
