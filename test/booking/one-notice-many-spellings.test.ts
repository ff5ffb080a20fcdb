import { expect, it } from 'vitest'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import { parseAdyen } from '../../modules/channels/adyen/parse.ts'
import { parseAlipay } from '../../modules/channels/alipay/parse.ts'
import type { Parsed, VerifiedCallback } from '../../modules/channels/channel.ts'
import { locateOrder } from '../../modules/ledger/read/locate-order.ts'
import { readCallbackMessage, writeCallbackMessage } from '../../modules/queues/callback-message.ts'
import * as adyen from '../channels/adyen/signed-webhook.ts'
import * as alipay from '../channels/alipay/signed-notice.ts'
import { eventOf, requestOf, verifiedOf } from '../channels/message-setup.ts'
import { openTestLedger } from '../support/ledger.ts'
import { collectionOf, tasksOf } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'

await openTestLedger()

const FORM = Object.entries(alipay.signForm(alipay.PAYMENT))
const formOf = (empties: number) => {
  const added = Array.from({ length: empties }, (_, n): [string, string] => [`zz${n}`, ''])
  return new URLSearchParams([...added, ...FORM]).toString()
}

const ITEM = adyen.signItem({ pspReference: 'PSP-SPELT', merchantReference: 'SPELT_0001' })
const spaced = (blanks: number) => JSON.stringify(JSON.parse(adyen.message(ITEM)), undefined, blanks)

interface Channel {
  readonly verify: (body: string) => VerifiedCallback
  readonly parse: (verified: VerifiedCallback) => Parsed
  readonly spell: (n: number) => string
}

it.each<[string, Channel]>([
  [
    'Alipay',
    {
      verify: (body) => verifiedOf(alipay.verify(requestOf({}, body))),
      parse: (verified) => parseAlipay(verified, alipay.ACCOUNT, alipay.KEYS),
      spell: formOf,
    },
  ],
  [
    'Adyen',
    {
      verify: (body) => verifiedOf(adyen.verify(body)),
      parse: (verified) => parseAdyen(verified, adyen.ACCOUNT, adyen.KEYS),
      spell: spaced,
    },
  ],
])('one genuine notice of %s in ten spellings is one row and one task', async (_who, { verify, parse, spell }) => {
  const world = await openWorld()
  const bodies = Array.from({ length: 10 }, (_, n) => spell(n))

  for (const body of bodies) {
    const { verified, bodySha256 } = readCallbackMessage(writeCallbackMessage(verify(body)))
    await takeCallback(world.takeDeps, verified, bodySha256, parse(verified))
  }

  const { pk } = await locateOrder(world.ledger, eventOf(parse(verify(spell(0)))))
  const file = await collectionOf(world, pk)
  expect(new Set(bodies).size).toBe(10)
  expect(file.callbacks).toMatchObject([{ seen: 10 }])
  expect(tasksOf(file, 'SETTLE_CALLBACK')).toHaveLength(1)
})
