import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { noticeTypes } from '../../modules/core/notice.ts'

const noticed = z.object({
  type: z.enum(noticeTypes),
  timestamp: z.string(),
  data: z.looseObject({ id: z.string(), orderNo: z.string().optional(), sequence: z.int().optional() }),
})

const delivered = z.object({
  type: z.literal('order.deliver'),
  data: z.object({
    orderNo: z.string(),
    deliveryNo: z.string(),
    line: z.int(),
    sku: z.string(),
    quantity: z.int(),
    attributes: z.record(z.string(), z.string()).optional(),
  }),
})

/** Where no channel is: 503 to whatever is asked there. */
export const NO_CHANNEL_PATH = '/no-channel'

/** One request that reached the merchant. */
export interface Delivery extends z.infer<typeof delivered> {
  /** `webhook-id` */
  readonly id: string
  /** Unix seconds of this try, as signed. */
  readonly signedAtS: number
  /** Whether the merchant's own library finds the signature genuine. */
  readonly genuine: boolean
}

/** One notice that reached the merchant. */
export interface ReceivedNotice extends z.infer<typeof noticed> {
  readonly id: string
  readonly genuine: boolean
  readonly bytes: string
}

/** A merchant's endpoint that does what a test tells it to; without a word it takes every delivery. */
export interface JourneyMerchant {
  readonly url: string
  /** From now on deliveries of this order are answered like this; `hang` never answers. */
  answer(orderNo: string, status: number | 'hang'): void
  /** Deliveries of an order, the first first. */
  deliveries(orderNo: string): readonly Delivery[]
  /** Notices of an order, also those that were told again, in the order of their arrival. */
  notices(orderNo: string): readonly ReceivedNotice[]
  /** Stops listening: connections are refused. */
  goDown(): Promise<void>
  /** Listens again, at the same address. */
  comeUp(): Promise<void>
}

/** @param secret `whsec_…` */
export async function startJourneyMerchant(secret: string): Promise<JourneyMerchant> {
  const received: Delivery[] = []
  const notices: ReceivedNotice[] = []
  const answers = new Map<string, number | 'hang'>()
  const server = createServer((request, response) => void take(request, response))
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith(NO_CHANNEL_PATH) === true) return void response.writeHead(503).end()
    const body = await text(request)
    const { type } = typed.parse(JSON.parse(body))
    const told = type === 'order.deliver' ? readDelivery(request, body, secret) : readNotice(request, body, secret)
    if ('bytes' in told) notices.push(told)
    else received.push(told)
    const status = answers.get(told.data.orderNo ?? '') ?? 200
    if (status !== 'hang') response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  }
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The merchant has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    answer: (orderNo, status) => void answers.set(orderNo, status),
    deliveries: (orderNo) => received.filter(({ data }) => data.orderNo === orderNo),
    notices: (orderNo) => notices.filter(({ data }) => data.orderNo === orderNo),
    goDown: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    comeUp: () => listen(address.port),
  }
}

const typed = z.object({ type: z.string() })

function readNotice(request: IncomingMessage, body: string, secret: string): ReceivedNotice {
  return { ...noticed.parse(JSON.parse(body)), ...readSignature(request, body, secret), bytes: body }
}

function readDelivery(request: IncomingMessage, body: string, secret: string): Delivery {
  return { ...delivered.parse(JSON.parse(body)), ...readSignature(request, body, secret) }
}

function readSignature(request: IncomingMessage, body: string, secret: string) {
  const id = String(request.headers['webhook-id'])
  const signedAtS = Number(request.headers['webhook-timestamp'])
  // Signed anew instead of `verify`, which judges the age by this process's clock and not by the stack's.
  const signature = new Webhook(secret).sign(id, new Date(signedAtS * 1000), body)
  const genuine = request.headers['webhook-signature'] === signature
  return { id, signedAtS, genuine }
}
