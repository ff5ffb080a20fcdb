import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ChannelAccount } from '../../../modules/channels/account.ts'
import type { Clock } from '../../host/clock/clock.ts'
import type { WorkSource } from '../../host/runtime/idleness.ts'
import { makeAdyenKeys, openAdyenProtocol } from './adyen/protocol.ts'
import { makeAlipayKeys, openAlipayProtocol } from './alipay/protocol.ts'
import { keepKeys } from './keep-keys.ts'
import { openSimulator, type Simulator } from './open-simulator.ts'
import { makePaypalKeys, openPaypalProtocol } from './paypal/protocol.ts'
import type { Protocol } from './protocol.ts'
import { makePartnerKeys, openPartnerProtocol } from './standard-webhooks/protocol.ts'
import { makeStripeKeys, openStripeProtocol } from './stripe/protocol.ts'
import {
  makeWechatpayCertificate,
  makeWechatpayKeys,
  openWechatpayProtocol,
  type WechatpaySigning,
} from './wechatpay/protocol.ts'

export interface SimulatorsOptions {
  readonly clock: Clock
  /** Folder of keys and payments; simulators that start on it again go on where they were, also after a kill. */
  readonly stateDir: string
  /** Seed of the faults until `/control/faults` names another; 1 unless given. */
  readonly seed?: number
  /**
   * Base address of the HTTP API; callbacks go to `<base>/callbacks/<channelId>`. Asked at each send. While it is empty the
   * host is still starting, and nothing happens but what is asked for.
   */
  readonly notifyBase: () => string
  readonly accounts: readonly ChannelAccount[]
  /** Ports by channel id; any free one for those that are not named. */
  readonly ports?: 'free' | Readonly<Record<string, number>>
  /** What WeChat Pay signs with; the public key unless given. */
  readonly wechatpaySigning?: WechatpaySigning
}

/** All configured channels, simulated. */
export interface Simulators {
  /** Address of each channel's API and of its `/control`, by channel id. */
  readonly urls: Readonly<Record<string, string>>
  /** The text that Backstop's secret of each channel must hold, by channel id. */
  readonly secrets: Readonly<Record<string, string>>
  readonly source: WorkSource
  stop(): Promise<void>
}

/** Starts a simulator for each account. @throws PortTakenError */
export async function startSimulators(options: SimulatorsOptions): Promise<Simulators> {
  const { clock, stateDir, accounts, ports = 'free' } = options
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const running: Simulator[] = []
  const protocols = await Promise.all(
    accounts.map((account, index) =>
      openProtocol(stateDir, account, options.wechatpaySigning, () => running[index]?.url ?? ''),
    ),
  )
  const stop = async () => {
    await Promise.all(running.splice(0).map((simulator) => simulator.stop()))
  }
  try {
    for (const [index, protocol] of protocols.entries()) {
      const id = accounts[index]?.id ?? ''
      running.push(
        await openSimulator({
          clock,
          protocol,
          path: join(stateDir, `${id}.sqlite`),
          port: ports === 'free' ? 0 : (ports[id] ?? 0),
          seed: options.seed ?? 1,
          callbackUrl: () => `${options.notifyBase()}/callbacks/${id}`,
        }),
      )
    }
  } catch (error) {
    await stop()
    throw error
  }
  const sources = running.map((simulator) => simulator.source)

  return {
    urls: Object.fromEntries(accounts.map(({ id }, index) => [id, running[index]?.url ?? ''])),
    secrets: Object.fromEntries(accounts.map(({ id }, index) => [id, protocols[index]?.secret ?? ''])),
    source: {
      isBusy: () => sources.some((source) => source.isBusy?.() === true),
      nextDueAt: () => {
        const dues = sources.map((source) => source.nextDueAt?.()).filter((due) => due !== undefined)
        return dues.length === 0 ? undefined : Math.min(...dues)
      },
    },
    stop,
  }
}

/**
 * How the channel of an account speaks, with the keys that its folder keeps.
 * @param ownUrl where its API is reached, once it is
 */
export async function openProtocol(
  folder: string,
  account: ChannelAccount,
  wechatpaySigning?: WechatpaySigning,
  ownUrl: () => string = () => '',
): Promise<Protocol> {
  switch (account.kind) {
    case 'stripe':
      return openStripeProtocol(account, await keepKeys(folder, account.id, () => makeStripeKeys(account)))
    case 'standard-webhooks':
      return openPartnerProtocol(account, await keepKeys(folder, account.id, makePartnerKeys))
    case 'alipay':
      return openAlipayProtocol(account, await keepKeys(folder, account.id, makeAlipayKeys))
    case 'wechatpay':
      return openWechatpayProtocol(
        account,
        await keepKeys(folder, account.id, makeWechatpayKeys),
        await keepKeys(folder, `${account.id}-certificate`, makeWechatpayCertificate),
        wechatpaySigning,
      )
    case 'adyen':
      return openAdyenProtocol(account, await keepKeys(folder, account.id, makeAdyenKeys))
    case 'paypal':
      return openPaypalProtocol(account, await keepKeys(folder, account.id, makePaypalKeys), ownUrl)
    default:
      return account satisfies never
  }
}
