import { expect, it } from 'vitest'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { addChannelRefWrites } from '../../modules/ledger/pay-attempt/add-channel-ref-write.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists, rowIsNew } from '../../modules/ledger/table/conditions.ts'
import { payAttemptSk } from '../../modules/ledger/table/keys.ts'
import type { PayAttemptRow } from '../../modules/ledger/table/rows.ts'
import { aFreshOrderNo } from '../orders/orders-api.ts'
import { aChannel, anInstant, anOutTradeNo, money, sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawPut, rawUpdate } from '../support/raw-writes.ts'

const { ledger } = await openTestLedger()
const NOW = anInstant()

const refWrites = (attempt: PayAttemptRow, channelRef: string) =>
  addChannelRefWrites(
    attempt,
    channelRef,
    { orderNo: aFreshOrderNo(), tasks: [] },
    { policies: bindPolicies({}), now: NOW },
  )

async function aPayAttemptRow() {
  const orderNo = aFreshOrderNo()
  const outTradeNo = anOutTradeNo(orderNo)
  const number = { channel: aChannel(), outTradeNo }
  const item = {
    pk: `ORDER#${orderNo}`,
    sk: payAttemptSk(number.channel, outTradeNo),
    et: 'PAYATTEMPT',
    ...number,
    ...money(),
    state: 'OPEN',
    expiresAt: NOW,
    createdAt: NOW,
  }
  await commit(ledger, [rawPut(item, rowIsNew)], NOW)
  const read = async () => sure((await readOrderFile(ledger, orderNo)).payAttempts[0])
  return { read, seen: await read() }
}

it('of two that saw the attempt without a channelRef the second loses and sees the first one’s', async () => {
  const { read, seen } = await aPayAttemptRow()
  await commit(ledger, refWrites(seen, 'pi_1'), NOW)

  const second = await commit(ledger, refWrites(seen, 'pi_2'), NOW)

  expect(second).toMatchObject({ kind: 'lost', losses: [{ found: { channelRef: 'pi_1' } }] })
  expect(await read()).toMatchObject({ channelRef: 'pi_1', rev: 2 })
})

it('an attempt whose state moved since it was read is read again first', async () => {
  const { read, seen } = await aPayAttemptRow()
  const key = { pk: seen.pk, sk: seen.sk }
  await commit(ledger, [rawUpdate(key, { set: { state: 'PAID' } }, rowExists)], NOW)

  const late = await commit(ledger, refWrites(seen, 'pi_1'), NOW)
  const again = await commit(ledger, refWrites(await read(), 'pi_1'), NOW)

  expect([late.kind, again.kind]).toEqual(['lost', 'done'])
  expect(await read()).toMatchObject({ channelRef: 'pi_1', state: 'PAID' })
})
