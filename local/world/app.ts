import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { localConfig } from '../../infra/local-config.ts'
import { type NoticeType, noticeTypes } from '../../modules/core/notice.ts'
import type { Clock } from '../host/clock/clock.ts'
import { type LocalStack, type StackOptions, startStack } from '../host/stack.ts'
import { keepKeys, keyOf } from './channels/keep-keys.ts'
import { type Simulators, type SimulatorsOptions, startSimulators } from './channels/start-simulators.ts'
import { type Merchant, startMerchant } from './merchant/start-merchant.ts'

/** Scopes of the merchant's own backend. */
const MERCHANT_SCOPES = [
  'orders.write',
  'orders.read',
  'tasks.write',
  'tasks.read',
  'stock.write',
  'stock.read',
  'codes.read',
].map((scope) => `backstop/${scope}`)

/** Backstop on this machine with the world around it: channels that call back, a merchant that takes deliveries. */
export interface LocalApp {
  readonly stack: LocalStack
  readonly simulators: Simulators
  readonly merchant: Merchant
  /** The clock of all of them. */
  readonly clock: Clock
  /** An access token of the merchant's backend. */
  token(): Promise<string>
  stop(): Promise<void>
}

export interface AppOptions
  extends Pick<StackOptions, 'port' | 'leap' | 'onLog' | 'concurrency' | 'template' | 'record'> {
  readonly stateDir: string
  /** Forgets all state first. */
  readonly reset?: boolean
  /** Where channels send their callbacks, given the API's address; the API itself unless something stands between. */
  readonly notifyBase?: (apiUrl: string) => string
  /** What the merchant is told of beside his deliveries; all there is unless given. */
  readonly notices?: readonly NoticeType[]
  /** Of the simulators' faults. */
  readonly seed?: number
  /** What WeChat Pay signs with; the public key unless given. */
  readonly wechatpaySigning?: SimulatorsOptions['wechatpaySigning']
}

/**
 * Starts the synthesized stack with simulators of its channels and a merchant. Everything on loopback; all of it shares one clock.
 * @throws what `startStack` throws
 */
export async function startApp(options: AppOptions): Promise<LocalApp> {
  const { stateDir } = options
  if (options.reset === true) rmSync(stateDir, { recursive: true, force: true })
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const holder: { stack?: LocalStack } = {}
  const listeners: (() => void)[] = []
  const clock: Clock = {
    now: () => holder.stack?.clock.now() ?? Date.now(),
    onLeap: (listener) => listeners.push(listener),
  }
  const secret = await merchantSecret(stateDir)
  const merchant = await startMerchant({ clock, secret: () => secret, stateDir: join(stateDir, 'merchant') })
  const simulators = await startSimulators({
    clock,
    stateDir: join(stateDir, 'channels'),
    accounts: localConfig().channels.map(({ account }) => account),
    notifyBase: () => options.notifyBase?.(holder.stack?.url ?? '') ?? holder.stack?.url ?? '',
    ...(options.seed !== undefined && { seed: options.seed }),
    ...(options.wechatpaySigning !== undefined && { wechatpaySigning: options.wechatpaySigning }),
  })
  const stopWorld = async () => {
    await simulators.stop()
    await merchant.stop()
  }
  try {
    const stack = await startStack({
      ...options,
      parameters: {
        DeliveryUrl: `${merchant.url}/deliveries`,
        Notices: (options.notices ?? noticeTypes).join(','),
        PrivateOrigins: merchant.url,
        ChannelEndpoints: JSON.stringify(simulators.urls),
      },
      secrets: secretsByPath(simulators.secrets, secret),
    })
    holder.stack = stack
    stack.clock.onLeap(() => {
      for (const listener of listeners) listener()
    })
    stack.attach(simulators.source)
    stack.attach(merchant.source)
    return {
      stack,
      simulators,
      merchant,
      clock,
      token: () => stack.issue({ scopes: MERCHANT_SCOPES, ttlSeconds: 365 * 86_400 }),
      stop: async () => {
        await stack.stop()
        await stopWorld()
      },
    }
  } catch (error) {
    await stopWorld()
    throw error
  }
}

/** What the merchant secret holds: made once, kept with the state. */
async function merchantSecret(stateDir: string): Promise<string> {
  const keys = await keepKeys(stateDir, 'merchant', () => ({ signing: `whsec_${randomBytes(32).toString('base64')}` }))
  return JSON.stringify({ secrets: [keyOf(keys, 'signing')] })
}

function secretsByPath(channels: Readonly<Record<string, string>>, merchant: string): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(channels).map(([id, text]) => [`Secrets/Channel-${id}`, text])),
    'Secrets/Merchant': merchant,
  }
}
