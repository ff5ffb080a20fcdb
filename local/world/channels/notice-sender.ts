import { type Alarm, openAlarm } from '../../host/clock/alarm.ts'
import type { Clock } from '../../host/clock/clock.ts'
import { isQueued, notHeldUp } from './endpoint-queue.ts'
import { drawNumber, type Faults } from './faults.ts'
import type { Notice, Tamper } from './payment.ts'
import type { PaymentStore } from './payment-store.ts'
import type { Protocol } from './protocol.ts'

/** More at once would only wait in the receiver's queue while the time limit runs. */
const MAX_AT_ONCE = 16
const MAX_ANSWER_BYTES = 16 * 1024
const MAX_RETRY_AFTER_S = 24 * 3600

/** Sends notices until each is acknowledged or its channel gives up. */
export interface NoticeSender {
  add(notice: Notice): void
  /** Looks at its clock and address again. */
  wake(): void
  isBusy(): boolean
  nextDueAt(): number | undefined
  /** Cuts off what is under way: it counts as not sent, and is sent again after the next start. */
  stop(): void
}

interface SenderOptions {
  readonly clock: Clock
  readonly store: PaymentStore
  readonly protocol: Protocol
  /** Where callbacks go, asked at each send; nothing is sent while it is no address. */
  readonly url: () => string
  readonly faults: () => Faults
}

interface Answer {
  readonly acked: boolean
  readonly stopped: boolean
  readonly retryAfterMs: number
  readonly text: string
}

/** Takes up what was pending at the last stop. */
export function openNoticeSender({ clock, store, protocol, url, faults }: SenderOptions): NoticeSender {
  const waiting = new Map(store.pendingNotices().map((notice) => [notice.id, notice]))
  const stopping = new AbortController()
  const sending = new Set<Notice>()
  let nextAt: number | undefined
  let isStale = true
  /** While a queue leaves in its order. */
  let isInLine = false

  const free = () => notHeldUp([...waiting.values()], sending, protocol.queuedAfterSends)

  const nextDueAt = (): number | undefined => {
    if (isStale) {
      nextAt = undefined
      for (const notice of free()) nextAt = Math.min(nextAt ?? notice.nextAt, notice.nextAt)
      isStale = false
    }
    return nextAt
  }

  const most = () => (isInLine ? 1 : MAX_AT_ONCE)

  const sendDue = () => {
    const allowed = free()
    const due = allowed
      .filter((notice) => notice.nextAt <= clock.now())
      .toSorted((a, b) => a.nextAt - b.nextAt || a.id - b.id)
    isInLine = allowed.some((notice) => isQueued(notice, protocol.queuedAfterSends)) || (isInLine && due.length > 1)
    for (const notice of due.slice(0, most() - sending.size)) {
      waiting.delete(notice.id)
      isStale = true
      sending.add(notice)
      void sendOne(notice).finally(() => {
        sending.delete(notice)
        // Those that it held up may go, or may go no more.
        isStale ||= protocol.queuedAfterSends !== undefined
        alarm.rearm()
      })
    }
  }

  const sendOne = async (notice: Notice): Promise<void> => {
    const sentAt = clock.now()
    const isDropped = drawNumber(faults().seed, 'drop', notice.eventId, notice.id, notice.attempts) < faults().drop
    const answer = isDropped ? LOST : await post(notice)
    if (stopping.signal.aborted) return
    const after = nextState(protocol, notice, answer, sentAt)
    store.saveNotice(after)
    if (after.status === 'pending') {
      waiting.set(after.id, after)
      isStale = true
    }
  }

  const post = async (notice: Notice): Promise<Answer> => {
    const callback = protocol.encode(notice.content, notice.eventId, clock.now(), tamperOf(notice))
    try {
      const response = await fetch(url(), {
        method: 'POST',
        headers: callback.headers,
        body: callback.body,
        redirect: 'manual',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(protocol.answerTimeoutMs)]),
      })
      const body = Buffer.from(await response.arrayBuffer()).subarray(0, MAX_ANSWER_BYTES)
      return {
        acked: protocol.isAck(response.status, body),
        stopped: protocol.isStop?.(response.status) ?? false,
        retryAfterMs: readRetryAfterMs(response.headers.get('retry-after')),
        text: `HTTP ${response.status}`,
      }
    } catch (error) {
      return { ...LOST, text: error instanceof Error ? error.name : String(error) }
    }
  }

  const isReady = () => sending.size < most() && URL.canParse(url())
  const alarm: Alarm = openAlarm(clock, () => (isReady() ? nextDueAt() : undefined), sendDue)

  return {
    add: (notice) => {
      waiting.set(notice.id, notice)
      isStale = true
      alarm.rearm()
    },
    wake: alarm.rearm,
    isBusy: () => sending.size > 0,
    nextDueAt,
    stop: () => {
      stopping.abort()
      alarm.close()
    },
  }
}

const LOST: Answer = { acked: false, stopped: false, retryAfterMs: 0, text: 'lost on the way' }

/** What is altered on the way is altered once; what the channel itself has wrong stays wrong. */
function tamperOf(notice: Notice): Tamper | undefined {
  return notice.tamper === 'account' || notice.tamper === 'livemode' || notice.attempts === 0
    ? notice.tamper
    : undefined
}

function nextState(protocol: Protocol, notice: Notice, answer: Answer, sentAt: number): Notice {
  const attempts = notice.attempts + 1
  const sent = { ...notice, attempts, lastAnswer: answer.text }
  if (answer.acked) return { ...sent, status: 'acked' }
  if (notice.once === true) return { ...sent, status: 'lost' }
  const waitMs = protocol.resendAfterMs[attempts - 1]
  if (waitMs === undefined || answer.stopped) return { ...sent, status: 'gave-up' }
  return { ...sent, nextAt: sentAt + Math.max(waitMs, answer.retryAfterMs) }
}

function readRetryAfterMs(value: string | null): number {
  return value !== null && /^\d{1,6}$/.test(value) ? Math.min(Number(value), MAX_RETRY_AFTER_S) * 1000 : 0
}
