import type { Asked, AskedPayAttempt, ChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { closeAttemptHandler } from '../../functions/work/handlers/close-attempt.ts'
import { closeOrderHandler } from '../../functions/work/handlers/close-order.ts'
import { queryPaymentHandler } from '../../functions/work/handlers/query-payment.ts'
import type { TaskHandler } from '../../functions/work/task-handler.ts'
import type { QueryAnswer } from '../../modules/channels/client.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../modules/core/ids.ts'
import { money, sure } from './core-builders.ts'
import type { World } from './world.ts'
import { BANK } from './world-bank.ts'

/** A channel that answers what a test says, in turn, and notes what it was asked. */
export interface ScriptedDesk extends ChannelDesk {
  readonly calls: string[]
  /** What each call was asked by. */
  readonly subjects: AskedPayAttempt[]
  /** The next answers; the last one is given for ever. */
  readonly answers: { query: readonly Asked[]; close: readonly Asked[] }
}

export function openDesk(query: readonly Asked[], close: readonly Asked[] = []): ScriptedDesk {
  const answers = { query, close }
  const calls: string[] = []
  const subjects: AskedPayAttempt[] = []
  const give = (name: 'query' | 'close', subject: AskedPayAttempt): Asked => {
    calls.push(`${name} ${subject.outTradeNo}`)
    subjects.push(subject)
    const [next, ...rest] = answers[name]
    if (next === undefined) return { kind: 'unsupported' }
    if (rest.length > 0) answers[name] = rest
    return next
  }
  return {
    calls,
    subjects,
    answers,
    canQuery: () => query.length > 0,
    canClose: () => close.length > 0,
    query: async (subject) => give('query', subject),
    close: async (subject) => give('close', subject),
  }
}

const says = (state: QueryAnswer['state'], kind: QueryAnswer['outcome']['kind'], code?: string): Asked => ({
  kind: 'answer',
  answer: { state, outcome: { kind, ...(code !== undefined && { code }) } },
})

export const closable = says('closable', 'notYet')
export const closed = says('closed', 'done')
export const moving = says('moving', 'notYet')
export const unknown = says('unknown', 'unknown', 'TIMEOUT')

/** "Paid", as a channel's query says it. */
export function paidAnswer(outTradeNo: string, channelTxnId: string, amount = 8800): Asked {
  return {
    kind: 'answer',
    answer: {
      state: 'paid',
      outcome: { kind: 'done' },
      event: {
        channel: BANK,
        eventId: `query/${channelTxnId}`,
        kind: 'payment',
        trust: 'fact',
        outTradeNo: sure(parseOutTradeNo(outTradeNo)),
        channelTxnId: sure(parseChannelTxnId(channelTxnId)),
        money: money(amount),
      },
    },
  }
}

/** The same world with a channel that can be asked and can close. */
export function withDesk(world: World, desk: ChannelDesk): World['workDeps'] {
  const handlers: Record<string, TaskHandler> = {
    CLOSE_ATTEMPT: closeAttemptHandler(desk, world.takeDeps),
    CLOSE_ORDER: closeOrderHandler(desk, world.takeDeps),
    QUERY_PAYMENT: queryPaymentHandler(desk, world.takeDeps),
  }
  return { ...world.workDeps, handlers: { ...world.workDeps.handlers, ...handlers } }
}
