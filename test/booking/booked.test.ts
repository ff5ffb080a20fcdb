import { expect, it } from 'vitest'
import { finish } from '../../modules/booking/booked.ts'
import { setVerdict } from '../../modules/ledger/callback/record-callback.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { freshOrderNo } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'

it('a verdict whose callback is not there is no booking: what it belongs to comes again', async () => {
  const { takeDeps } = await openWorld()
  const nowhere = { pk: orderPk(freshOrderNo()), sk: 'CB#bank#evt#00000000' }

  expect(await finish(takeDeps, [setVerdict(nowhere, 'recorded')], 'recorded')).toMatchObject({
    kind: 'failed',
    code: 'CONTENDED',
  })
})
