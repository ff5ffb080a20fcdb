import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { z } from 'zod'
import { orderFileView } from '../../functions/orders/view-schemas.ts'
import { localConfig } from '../../infra/local-config.ts'
import { type LocalStack, type StackOptions, startStack } from '../../local/host/stack.ts'
import type { NoticeType } from '../../modules/core/notice.ts'
import { type JourneyMerchant, NO_CHANNEL_PATH, startJourneyMerchant } from './journey-merchant.ts'
import { channelSecrets, type Notice, type PartnerPayment, partnerNotice } from './journey-notices.ts'
import { allowSeconds } from './patience.ts'

export type OrderFile = z.infer<typeof orderFileView>
export type Task = OrderFile['tasks'][number]

export const MERCHANT_SCOPES = ['backstop/orders.write', 'backstop/orders.read']
export const MERCHANT_SECRET = `whsec_${randomBytes(32).toString('base64')}`
export const MINUTE_MS = 60_000
const YEAR_S = 365 * 86_400

export interface Answer {
  readonly status: number
  readonly body: string
}

/** A merchant's and a channel's view of the running system: HTTP in, the order's file out. */
export interface Journey {
  readonly stack: LocalStack
  readonly merchant: JourneyMerchant
  readonly minutes: (count: number) => Promise<void>
  /** Has an order over 88.00 yuan watched. */
  putOrder(orderNo: string, content?: Readonly<Record<string, unknown>>): Promise<Answer>
  startPayAttempt(orderNo: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>
  /** Has an order's notices told again. */
  replayNotices(orderNo: string, body: { readonly fromSequence?: number }): Promise<Answer>
  /** Everything known of an order, read by the published schema. */
  file(orderNo: string): Promise<OrderFile>
  /** Sends a notice as its channel does. */
  send(notice: Notice): Promise<Answer>
  /** Sends a partner's notice of a payment and waits until all that follows from it now has happened. */
  pay(payment: PartnerPayment): Promise<Answer>
  /** Details of the bus events of an order, the oldest first. */
  busEvents(orderNo: string): readonly Readonly<Record<string, unknown>>[]
  /** What functions logged as errors. */
  readonly errors: readonly string[]
}

/** What a stack of the journeys is started with; the same for the process that is killed and for the one after it. */
export function journeyOptions(
  stateDir: string,
  merchantUrl: string,
  notices: readonly NoticeType[] = [],
): StackOptions {
  // No journey may reach a provider: what is asked of a channel meets an address where no channel is.
  const endpoints = localConfig().channels.map(({ account }) => [account.id, `${merchantUrl}${NO_CHANNEL_PATH}`])
  return {
    stateDir,
    parameters: {
      DeliveryUrl: `${merchantUrl}/deliveries`,
      Notices: notices.join(','),
      PrivateOrigins: merchantUrl,
      ChannelEndpoints: JSON.stringify(Object.fromEntries(endpoints)),
    },
    secrets: { ...channelSecrets, 'Secrets/Merchant': JSON.stringify({ secrets: [MERCHANT_SECRET] }) },
  }
}

/**
 * A folder for a stack's state.
 * @param after removes it: `afterAll` at the top of a file, `onTestFinished` in a test
 */
export function aStateDir(after: (remove: () => void) => void): string {
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-journey-'))
  after(() => rmSync(stateDir, { recursive: true, force: true }))
  return stateDir
}

/** A merchant that is stopped after the file's last test. */
export async function aMerchant(): Promise<JourneyMerchant> {
  const merchant = await startJourneyMerchant(MERCHANT_SECRET)
  afterAll(() => merchant.goDown())
  return merchant
}

/**
 * Starts the whole local stack with a merchant, for all tests of a file: called at its top, stopped after its last test.
 * Tests keep apart by order numbers of their own.
 * @param empty paths of secrets that nobody has filled
 * @param notices what the merchant is told of beside his deliveries; nothing unless given
 */
export async function openJourney({
  empty = [],
  notices = [],
}: {
  empty?: readonly string[]
  notices?: readonly NoticeType[]
} = {}): Promise<Journey> {
  // A first event imports its handlers, which takes its time when all cores are taken.
  allowSeconds(120)
  const stateDir = aStateDir(afterAll)
  const merchant = await aMerchant()
  const { secrets = {}, ...options } = journeyOptions(stateDir, merchant.url, notices)
  const filled = Object.fromEntries(Object.entries(secrets).filter(([path]) => !empty.includes(path)))
  const errors: string[] = []
  const stack = await startStack({
    ...options,
    secrets: filled,
    onLog: ({ line }) => void (line.includes('"level":"ERROR"') && errors.push(line)),
  })
  afterAll(() => stack.stop())
  return { ...(await journeyOn(stack, merchant)), errors }
}

/** The view of a stack that a test started by itself. */
export async function journeyOn(stack: LocalStack, merchant: JourneyMerchant): Promise<Omit<Journey, 'errors'>> {
  const token = await stack.issue({ scopes: MERCHANT_SCOPES, ttlSeconds: YEAR_S })
  const api = openApi(stack.url, token)
  return {
    stack,
    merchant,
    ...api,
    minutes: (count) => stack.leapBy(count * MINUTE_MS),
    pay: async (payment) => {
      const answer = await api.send(partnerNotice(payment, stack.clock.now()))
      await stack.idle()
      return answer
    },
    busEvents: (orderNo) =>
      stack.eventBridge
        .list({ limit: 10_000 })
        .map(({ event }) => event.detail)
        .filter((detail) => detail['orderNo'] === orderNo)
        .toReversed(),
  }
}

/** The merchant's API and the channels' address, by HTTP alone. */
export function openApi(
  url: string,
  token: string,
): Pick<Journey, 'putOrder' | 'startPayAttempt' | 'replayNotices' | 'file' | 'send'> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(`${url}${path}`, init)
    return { status: answer.status, body: await answer.text() }
  }
  return {
    putOrder: (orderNo, content) =>
      call('PUT', `/orders/${orderNo}`, {
        amount: 8800,
        currency: 'CNY',
        lines: [{ sku: 'tea', quantity: 1 }],
        ...content,
      }),
    replayNotices: (orderNo, body) => call('POST', `/orders/${orderNo}/notices/replay`, body),
    startPayAttempt: (orderNo, body) =>
      call('POST', `/orders/${orderNo}/pay-attempts`, { channel: 'partner', ...body }),
    file: async (orderNo) => {
      const { status, body } = await call('GET', `/orders/${orderNo}?limit=200`)
      if (status !== 200) throw new Error(`GET /orders/${orderNo} answered ${status}: ${body}`)
      return orderFileView.parse(JSON.parse(body))
    },
    send: async ({ channel, headers: signed, body }) => {
      const answer = await fetch(`${url}/callbacks/${channel}`, { method: 'POST', headers: { ...signed }, body })
      return { status: answer.status, body: await answer.text() }
    },
  }
}

/** The order's tasks of one type. */
export function tasksOf(file: OrderFile, bizType: Task['bizType']): readonly Task[] {
  return file.tasks.filter((task) => task.bizType === bizType)
}

/** The journal as `from > to` by whom. */
export function stepsOf(file: OrderFile): readonly string[] {
  return file.journal.map(({ from, to, operatorType }) => `${from} > ${to} by ${operatorType}`)
}
