import { z } from 'zod'
import { noticeTypes } from '../../../modules/core/notice.ts'
import type { Clock } from '../../host/clock/clock.ts'
import type { WorkSource } from '../../host/runtime/idleness.ts'
import { openChannelServer, type Reaction } from '../channels/channel-server.ts'
import { drawNumber } from '../channels/faults.ts'
import { type ApiAnswer, type ApiRequest, answerJson } from '../channels/protocol.ts'
import { type Delivery, openDeliveryStore } from './delivery-store.ts'
import { openNoticeStore, type TakenNotice } from './notice-store.ts'
import { verifyWebhook } from './verify-webhook.ts'

/** Longer than Backstop waits, so that it cannot know what became of its delivery. */
const SLOW_MS = 12_000

const modeSchema = z.strictObject({
  /**
   * `down` cuts the connection unread. `slow` delivers, but answers after `ms`. `accept202` takes the work and does not say that it
   * is done. `reject422` refuses. `flaky` fails with chance `p`, half of the time after it has delivered.
   */
  mode: z.enum(['ok', 'down', 'slow', 'accept202', 'reject422', 'flaky']),
  p: z.number().min(0).max(1).default(0.5),
  ms: z.number().min(0).default(SLOW_MS),
})
type Mode = z.infer<typeof modeSchema>
export type MerchantMode = z.input<typeof modeSchema>

export interface MerchantOptions {
  readonly clock: Clock
  /** The text of Backstop's merchant secret, asked at each delivery so that a rotation is seen. */
  readonly secret: () => string
  /** Any free one unless given. */
  readonly port?: number
  /** Keeps deliveries over restarts; without it they end with the process. */
  readonly stateDir?: string
  readonly seed?: number
}

/** The merchant's own endpoint. */
export interface Merchant {
  /** Where deliveries go; `<url>/deliveries` and `<url>/notices` list what was taken, `<url>/control/mode` changes the mood. */
  readonly url: string
  readonly source: WorkSource
  deliveries(): Delivery[]
  notices(): TakenNotice[]
  /** @throws ZodError on a mode that does not exist */
  setMode(mode: MerchantMode): void
  stop(): Promise<void>
}

// Fields that are not known here stay unread: the contract may grow.
const noticeSchema = z.object({
  type: z.enum(noticeTypes),
  data: z.object({ orderNo: z.string().optional(), sequence: z.number().int().min(1).optional() }),
})

const messageSchema = z.object({
  type: z.literal('order.deliver'),
  data: z.object({
    orderNo: z.string(),
    deliveryNo: z.string(),
    line: z.number().int(),
    sku: z.string(),
    quantity: z.number().int().min(1),
  }),
})
type Message = z.infer<typeof messageSchema>
type Notice = z.infer<typeof noticeSchema>

/** Starts a merchant that keeps to the contract: verified, idempotent by webhook-id. @throws PortTakenError */
export async function startMerchant(options: MerchantOptions): Promise<Merchant> {
  const { clock, secret, seed = 1 } = options
  const store = openDeliveryStore(options.stateDir)
  const notices = openNoticeStore(options.stateDir)
  let mode: Mode = modeSchema.parse({ mode: 'ok' })
  let calls = 0

  const deliver = (request: ApiRequest): ApiAnswer => {
    const id = verifyWebhook(secret(), request.headers, request.body, clock.now())
    if (id === undefined) return answerJson(401, { code: 'BAD_SIGNATURE' })
    const notice = noticeSchema.safeParse(readJson(request.body))
    if (notice.success) return takeNotice(id, notice.data, request.body)
    const message = messageSchema.safeParse(readJson(request.body))
    if (!message.success) return answerJson(400, { code: 'BAD_MESSAGE', message: z.prettifyError(message.error) })
    if (mode.mode === 'reject422') return answerJson(422, { code: 'NOT_SOLD_HERE' })
    return record(id, message.data) ? answerJson(mode.mode === 'accept202' ? 202 : 200, {}) : ID_REUSED
  }

  const takeNotice = (id: string, { type, data: { orderNo, sequence } }: Notice, body: Buffer): ApiAnswer => {
    if (mode.mode === 'reject422') return answerJson(422, { code: 'NOT_WANTED_HERE' })
    const place = { ...(orderNo !== undefined && { orderNo }), ...(sequence !== undefined && { sequence }) }
    return notices.take({ id, type, ...place, body: body.toString('utf8') }) ? answerJson(200, {}) : ID_REUSED
  }

  /** @returns false when the id stands for another delivery */
  const record = (id: string, { data }: Message): boolean => {
    const { orderNo, line, sku, quantity } = data
    const now = clock.now()
    const known = store.find(id)
    const isSame = known?.orderNo === orderNo && known.line === line && known.sku === sku && known.quantity === quantity
    if (data.deliveryNo !== id || (known !== undefined && !isSame)) return false
    const timesSeen = (known?.timesSeen ?? 0) + 1
    store.save({ deliveryNo: id, orderNo, line, sku, quantity, timesSeen, firstAt: known?.firstAt ?? now, lastAt: now })
    return true
  }

  const reactToDelivery = (request: ApiRequest): Reaction => {
    if (mode.mode === 'down') return { kind: 'cut' }
    if (mode.mode === 'flaky') {
      calls += 1
      const drawn = drawNumber(seed, 'flaky', calls)
      if (drawn < mode.p / 2) return { kind: 'answer', answer: answerJson(500, { code: 'NOT_NOW' }) }
      // Done, and the answer is lost: the case that only a repeat under the same id can settle.
      if (drawn < mode.p) return cutAfter(() => deliver(request))
    }
    const answer = deliver(request)
    return mode.mode === 'slow' ? { kind: 'late', waitMs: mode.ms, answer: () => answer } : { kind: 'answer', answer }
  }

  const react = (request: ApiRequest): Reaction => {
    switch (`${request.method} ${request.url.pathname}`) {
      case 'GET /deliveries':
        return { kind: 'answer', answer: answerJson(200, { deliveries: store.all() }) }
      case 'GET /notices':
        return { kind: 'answer', answer: answerJson(200, { notices: notices.all() }) }
      case 'POST /control/mode': {
        const next = modeSchema.safeParse(readJson(request.body))
        if (!next.success) {
          const message = z.prettifyError(next.error)
          return { kind: 'answer', answer: answerJson(400, { code: 'BAD_INPUT', message }) }
        }
        mode = next.data
        return { kind: 'answer', answer: answerJson(200, mode) }
      }
      default:
        if (request.method === 'POST') return reactToDelivery(request)
        return { kind: 'answer', answer: answerJson(404, { code: 'NOT_FOUND' }) }
    }
  }

  const server = await openChannelServer(options.port ?? 0, react)
  return {
    url: server.url,
    source: { isBusy: () => server.inFlight() > 0 },
    deliveries: () => store.all(),
    notices: () => notices.all(),
    setMode: (next) => {
      mode = modeSchema.parse(next)
    },
    stop: async () => {
      await server.close()
      store.close()
      notices.close()
    },
  }
}

const ID_REUSED = answerJson(409, { code: 'ID_REUSED', message: 'This webhook-id stands for another delivery.' })

function cutAfter(work: () => unknown): Reaction {
  work()
  return { kind: 'cut' }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // refused by the schema, like any other wrong body
  }
}
