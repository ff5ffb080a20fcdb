import { join } from 'node:path'
import { localConfig } from '../infra/local-config.ts'
import type { LocalApp } from '../local/world/app.ts'
import type { ChannelAccount } from '../modules/channels/account.ts'
import { openSigner, type Signer } from './signed-callbacks.ts'

/** What is paid at: the same set from the first figures on, so that they stay comparable whatever the local stage has. */
const CHANNELS: readonly string[] = ['stripe', 'partner', 'alipay', 'wechatpay']

/** The accounts of those channels, as the local stage has them. @throws RangeError when it lacks one */
export function shopAccounts(): readonly ChannelAccount[] {
  const accounts = localConfig().channels.map(({ account }) => account)
  return CHANNELS.map((id) => {
    const account = accounts.find((one) => one.id === id)
    if (account === undefined) throw new RangeError(`The local stage has no channel '${id}'.`)
    return account
  })
}

/** Of every order, in CNY minor units. */
export const AMOUNT = 8800

/** A merchant's backend with its channels, in front of a running stack: everything by HTTP. */
export interface Shop {
  readonly channels: readonly string[]
  /** Has an order watched and announces its payment. */
  order(orderNo: string, channel: string): Promise<void>
  /** Sends the channel's notice that the order was paid. @param number one per payment */
  pay(orderNo: string, channel: string, number: number): Promise<void>
}

/** @param stateDir of the app, where its simulators keep their keys */
export async function openShop({ stack, token }: LocalApp, stateDir: string): Promise<Shop> {
  const accounts = shopAccounts()
  const signers = new Map<string, Signer>()
  for (const account of accounts) signers.set(account.id, await openSigner(join(stateDir, 'channels'), account))
  const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' }
  const call = async (method: string, path: string, body: object): Promise<void> => {
    await expectOk(await fetch(`${stack.url}${path}`, { method, headers, body: JSON.stringify(body) }))
  }
  return {
    channels: accounts.map(({ id }) => id),
    order: async (orderNo, channel) => {
      const lines = [{ sku: 'GAME-CARD-50', quantity: 1 }]
      await call('PUT', `/orders/${orderNo}`, { amount: AMOUNT, currency: 'CNY', lines })
      await call('POST', `/orders/${orderNo}/pay-attempts`, { channel })
    },
    pay: async (orderNo, channel, number) => {
      const signer = signers.get(channel)
      if (signer === undefined) throw new RangeError(`'${channel}' is no channel of the bench.`)
      const notice = signer.sign({ outTradeNo: orderNo, amount: AMOUNT }, number, stack.clock.now())
      const init = { method: 'POST', headers: { ...notice.headers }, body: notice.body }
      await expectOk(await fetch(`${stack.url}/callbacks/${channel}`, init))
    },
  }
}

/** @throws Error with what the other side said, when it refused */
export async function expectOk(answer: Response): Promise<void> {
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${body}`)
}

/** Works off `count` jobs with `callers` of them at a time. */
export async function runWithCallers(
  count: number,
  callers: number,
  job: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await job(index)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
