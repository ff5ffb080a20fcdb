import type { Asked, AskedPayAttempt, ChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import type { QueryAnswer } from '../../modules/channels/client.ts'
import { type OutTradeNo, parseChannelTxnId } from '../../modules/core/ids.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import type { PayAttemptRow } from '../../modules/ledger/table/rows.ts'
import { money, sure } from './core-builders.ts'
import { BANK } from './world-bank.ts'

type Standing = 'open' | 'paid' | 'closed' | 'given back'

/** A request of ours on its way to the channel; n counts the requests of its kind about one number. */
export interface ChannelRequest {
  readonly name: 'query' | 'close'
  readonly outTradeNo: string
  readonly n: number
}

export type Meet = (request: ChannelRequest, channel: FakeChannel) => 'lost' | undefined

/** A channel where nothing happens but what it is asked for. */
export const meetsNothing: Meet = () => undefined

/** The buyer pays while the n-th such request is on its way, about the number with this ending. */
export const paysAt =
  (name: ChannelRequest['name'], n: number, ending = ''): Meet =>
  (request, channel) => {
    if (request.name === name && request.n === n && request.outTradeNo.endsWith(ending)) channel.pay(request.outTradeNo)
    return undefined
  }

/** The answers to the first such requests never come, whatever the requests brought about. */
export const losesAnswers =
  (name: ChannelRequest['name'], count: number): Meet =>
  (request) =>
    request.name === name && request.n <= count ? 'lost' : undefined

/** What can be done at a channel from here. */
export interface Abilities {
  readonly canQuery: boolean
  readonly canClose: boolean
}

const BOTH: Abilities = { canQuery: true, canClose: true }

/** A channel that remembers: what was paid stays paid, what was closed takes no money, and every answer is the truth. */
export interface FakeChannel {
  readonly abilities: Abilities
  /** What must not have been asked of it. */
  readonly broken: string[]
  readonly calls: string[]
  /** Transaction numbers of the money that it holds for the merchant; grows while the story goes on. */
  readonly payments: string[]
  /** What it holds, and which requests it has had. */
  state(): unknown
  standing(outTradeNo: string): Standing
  /** The buyer pays. @returns the transaction number, or nothing where the channel takes no money any more */
  pay(outTradeNo: string): string | undefined
  /** The channel lets an unpaid try expire. */
  expire(outTradeNo: string): void
  /** The merchant gives the money back in the channel's own console. */
  giveBack(outTradeNo: string): void
  /** What happens while a request is under way, just before it arrives; 'lost' takes its answer away, not its effect. */
  meet: Meet
  ask: (name: ChannelRequest['name'], attempt: Pick<PayAttemptRow, 'outTradeNo' | 'amount'>) => Asked
}

interface Book {
  standing: Standing
  readonly txn: string
}

let channels = 0

/** @param id makes its transaction numbers its own */
export function openFakeChannel(id: string = String(++channels), abilities = BOTH): FakeChannel {
  const books = new Map<string, Book>()
  const payments: string[] = []
  const calls: string[] = []
  const bookOf = (outTradeNo: string): Book => {
    const book: Book = books.get(outTradeNo) ?? { standing: 'open', txn: `channel-${id}-${outTradeNo}` }
    books.set(outTradeNo, book)
    return book
  }
  const broken: string[] = []
  const channel: FakeChannel = {
    abilities,
    broken,
    calls,
    payments,
    state: () => ({ books: Object.fromEntries([...books].toSorted()), calls: calls.toSorted(), payments, broken }),
    standing: (outTradeNo) => bookOf(outTradeNo).standing,
    pay(outTradeNo) {
      const book = bookOf(outTradeNo)
      if (book.standing !== 'open') return undefined
      book.standing = 'paid'
      payments.push(book.txn)
      return book.txn
    },
    expire(outTradeNo) {
      const book = bookOf(outTradeNo)
      if (book.standing === 'open') book.standing = 'closed'
    },
    giveBack(outTradeNo) {
      const book = bookOf(outTradeNo)
      book.standing = 'given back'
      payments.splice(payments.indexOf(book.txn), 1)
    },
    meet: meetsNothing,
    ask(name, { outTradeNo, amount }) {
      calls.push(`${name} ${outTradeNo}`)
      const n = calls.filter((call) => call === `${name} ${outTradeNo}`).length
      const met = channel.meet({ name, outTradeNo, n }, channel)
      const book = bookOf(outTradeNo)
      if (name === 'close') channel.expire(outTradeNo)
      const answer: QueryAnswer =
        met === 'lost'
          ? { state: 'unknown', outcome: { kind: 'unknown', networkErrorType: 'timeout', code: 'TIMEOUT' } }
          : answerOf(book, outTradeNo, amount)
      return { kind: 'answer', answer }
    },
  }
  return channel
}

/** In the words of `modules/channels/answers.ts`. */
function answerOf({ standing, txn }: Book, outTradeNo: OutTradeNo, amount: number): QueryAnswer {
  const event = { channel: BANK, trust: 'fact', outTradeNo } as const
  switch (standing) {
    case 'open':
      return { state: 'closable', outcome: { kind: 'notYet', code: 'NOT_PAID' } }
    case 'closed':
      return {
        state: 'closed',
        outcome: { kind: 'done', code: 'CLOSED' },
        event: { ...event, kind: 'closed', eventId: `query/${outTradeNo}/closed` },
      }
    case 'paid':
      return {
        state: 'paid',
        outcome: { kind: 'done' },
        event: {
          ...event,
          kind: 'payment',
          eventId: `query/${txn}`,
          channelTxnId: sure(parseChannelTxnId(txn)),
          money: money(amount),
        },
      }
    case 'given back':
      return { state: 'paid', outcome: { kind: 'notYet', code: 'PAID_THEN_REFUNDED' } }
  }
}

const UNSUPPORTED: Asked = { kind: 'unsupported' }

/**
 * The desk in front of a channel, each of whose calls a test can make fail.
 * @param isBooked whether money of this try stands in the ledger: then nothing may be cancelled any more
 */
export function deskOf(
  channel: FakeChannel,
  around: <T>(call: string, run: () => Promise<T>) => Promise<T>,
  isBooked: (attempt: AskedPayAttempt) => Promise<boolean>,
): ChannelDesk {
  const { canQuery, canClose } = channel.abilities
  return {
    canQuery: () => canQuery,
    canClose: () => canClose,
    query: async (attempt) => (canQuery ? around('query', async () => channel.ask('query', attempt)) : UNSUPPORTED),
    close: async (attempt) =>
      canClose
        ? around('close', async () => {
            if (await isBooked(attempt))
              channel.broken.push(`${attempt.outTradeNo} is cancelled after its money was booked`)
            return channel.ask('close', attempt)
          })
        : UNSUPPORTED,
  }
}

/** A closed order takes no money anywhere, was not paid, and gave its goods back once. */
export function brokenCloses(
  channel: FakeChannel | undefined,
  { order, payAttempts, lines }: OrderFile,
): readonly string[] {
  if (channel === undefined || order?.status !== 'CLOSED') return []
  const { canQuery, canClose } = channel.abilities
  return [
    ...payAttempts
      // What can neither be asked nor closed is left to expire; what can be closed and not asked may have been paid before.
      .filter(({ outTradeNo }) => canClose && (canQuery || channel.standing(outTradeNo) !== 'paid'))
      .filter(({ outTradeNo }) => channel.standing(outTradeNo) !== 'closed')
      .map(({ outTradeNo }) => `CLOSED, and ${outTradeNo} is ${channel.standing(outTradeNo)} at its channel`),
    // Written twice: by the order's creation and by its close.
    ...lines.filter(({ rev }) => rev !== 2).map(({ rev }) => `a line of a closed order was written ${rev} times`),
  ]
}
