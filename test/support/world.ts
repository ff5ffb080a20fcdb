import { S3Client } from '@aws-sdk/client-s3'
import type { AskedPayAttempt, ChannelDesk, RefundDesk } from '../../functions/work/asking/channel-desk.ts'
import type { SendDelivery } from '../../functions/work/delivering/deliver-webhook.ts'
import { closeAttemptHandler } from '../../functions/work/handlers/close-attempt.ts'
import { closeOrderHandler } from '../../functions/work/handlers/close-order.ts'
import { deliverHandler } from '../../functions/work/handlers/deliver.ts'
import { notifyHandler } from '../../functions/work/handlers/notify.ts'
import { queryPaymentHandler } from '../../functions/work/handlers/query-payment.ts'
import { queryRefundHandler } from '../../functions/work/handlers/query-refund.ts'
import { reviewHandler } from '../../functions/work/handlers/review.ts'
import { settleCallbackHandler } from '../../functions/work/handlers/settle-callback.ts'
import { runTask } from '../../functions/work/run-task.ts'
import type { WorkDeps } from '../../functions/work/work-deps.ts'
import { type TakeDeps, takeCallback } from '../../modules/booking/take-callback.ts'
import type { VerifiedCallback } from '../../modules/channels/channel.ts'
import { type Instant, instantOf, msOf, plusMs } from '../../modules/core/instant.ts'
import type { NoticeType } from '../../modules/core/notice.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { bindPolicies, type Policies, type PolicyOverrides } from '../../modules/core/task-policies.ts'
import type { Gate } from '../../modules/gate/open-gate.ts'
import { readCollection } from '../../modules/ledger/read/queries.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import type { RawStore } from '../../modules/raw-store/raw-store.ts'
import { deskOf, type FakeChannel } from './fake-channel.ts'
import { openTestLedger } from './ledger.ts'
import { parseBank, START, sha256 } from './world-bank.ts'

// While the file is collected, so that its engine stops after the last test.
const { ledger } = await openTestLedger()

/** A clock that only tests move. */
export interface TestClock {
  now(): Instant
  set(to: Instant): void
  advance(ms: number): void
}

export function openClock(start: Instant = START): TestClock {
  let nowMs = msOf(start)
  return {
    now: () => instantOf(nowMs),
    set: (to) => {
      nowMs = Math.max(nowMs, msOf(to))
    },
    advance: (ms) => {
      nowMs += ms
    },
  }
}

/** What reached the merchant's endpoint, and how it answers. */
export interface Merchant {
  readonly received: { readonly id: string; readonly body: string }[]
  /** Receives the delivery first, then answers; tests replace it. */
  answer: (id: string) => Outcome | Promise<Outcome>
}

/** The functions under test, on one ledger and one clock, with everything else passed in. */
export interface World {
  readonly ledger: Ledger
  readonly clock: TestClock
  readonly merchant: Merchant
  /** The bank as a channel that can be asked and can close; without it the bank is mute. */
  readonly channel?: FakeChannel
  /** Answers what went back of a payment; without it the bank cannot be asked about it. */
  readonly refunds?: RefundDesk
  readonly policies: Policies
  /** What the merchant is told of beside his deliveries; nothing unless given. */
  readonly notices: ReadonlySet<NoticeType>
  readonly raw: RawStore
  /** What `settle` does with one message. */
  take(callback: VerifiedCallback): Promise<void>
  /** What `work` does with one message that names this task. */
  run(task: Pick<TaskRow, 'pk' | 'taskNo'>, lockedBy?: string): Promise<void>
  /** Stands around every call that is not the ledger's, so that it can be made to fail. */
  around<T>(call: string, run: () => Promise<T>): Promise<T>
  readonly workDeps: WorkDeps
  readonly takeDeps: TakeDeps
}

/** A bucket that nobody should need: every call fails. */
const noBucket: RawStore = {
  client: new S3Client({
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:9',
    maxAttempts: 1,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  }),
  bucket: 'none',
}

/** The desk of a channel that can neither be asked nor told to close, as a Standard Webhooks sender is. */
const mute: ChannelDesk = {
  canQuery: () => false,
  canClose: () => false,
  query: async () => ({ kind: 'unsupported' }),
  close: async () => ({ kind: 'unsupported' }),
}

/** A gate that keeps nobody back. */
export const openToAll: Gate = {
  take: async () => ({ kind: 'go', afterMs: 0, epoch: 1 }),
  report: async () => undefined,
  read: async () => ({ state: 'PASSING', ratePerS: 100, epoch: 1, calls: 0, failures: 0, nextSlotAt: START }),
  pause: async () => {},
  resume: async () => {},
}

export const DELIVERY_URL = 'https://merchant.example/deliver'
export async function openWorld(
  change: Partial<Pick<World, 'policies' | 'notices' | 'raw' | 'clock' | 'channel' | 'refunds'>> & {
    readonly overrides?: PolicyOverrides
  } = {},
): Promise<World> {
  const clock = change.clock ?? openClock()
  const merchant: Merchant = { received: [], answer: () => ({ kind: 'done', httpStatus: 200 }) }
  return worldOn(ledger, clock, merchant, {
    ...change,
    policies: change.policies ?? bindPolicies(change.overrides ?? {}),
  })
}

/** The same world through another client of the ledger: one invocation whose calls can be made to fail. */
export function worldOn(
  ledger: Ledger,
  clock: TestClock,
  merchant: Merchant,
  {
    policies = bindPolicies({}),
    notices = new Set(),
    raw = noBucket,
    around = (_call, run) => run(),
    channel,
    refunds,
  }: Partial<Pick<World, 'policies' | 'notices' | 'raw' | 'around' | 'channel' | 'refunds'>> = {},
): World {
  const canAskBack = refunds?.canQueryRefund ?? (() => false)
  const takeDeps: TakeDeps = { ledger, policies, notices, raw, now: clock.now, canAskBack }
  const desk = channel === undefined ? mute : deskOf(channel, around, isBooked)
  const send: SendDelivery = ({ id, body }) =>
    around('HTTP', async () => {
      merchant.received.push({ id, body })
      return merchant.answer(id)
    })
  const workDeps: WorkDeps = {
    ledger,
    policies,
    now: clock.now,
    random: () => 0.5,
    gate: openToAll,
    sleep: async () => {},
    handlers: {
      ...(channel !== undefined && {
        CLOSE_ATTEMPT: closeAttemptHandler(desk, takeDeps),
        QUERY_PAYMENT: queryPaymentHandler(desk, takeDeps),
      }),
      ...(refunds !== undefined && { QUERY_REFUND: queryRefundHandler(refunds, takeDeps) }),
      CLOSE_ORDER: closeOrderHandler(desk, takeDeps),
      DELIVER: deliverHandler(DELIVERY_URL, send, takeDeps),
      NOTIFY: notifyHandler(DELIVERY_URL, send),
      REVIEW: reviewHandler,
      SETTLE_CALLBACK: settleCallbackHandler(takeDeps, async (verified) => parseBank(verified)),
    },
  }
  return {
    ledger,
    clock,
    merchant,
    ...(channel !== undefined && { channel }),
    ...(refunds !== undefined && { refunds }),
    policies,
    notices,
    raw,
    around,
    takeDeps,
    workDeps,
    take: (callback) => takeCallback(takeDeps, callback, sha256(callback.body), parseBank(callback)),
    run: (task, lockedBy = 'worker-1') => runTask(workDeps, messageFor(task, clock.now()), lockedBy),
  }
}

/** Looked up past the invocation's own client: no call of the play. */
async function isBooked({ pk, channel, outTradeNo }: AskedPayAttempt): Promise<boolean> {
  const { payments } = await readCollection(ledger, pk)
  return payments.some((row) => row.channel === channel && row.outTradeNo === outTradeNo && row.role !== 'ORPHAN')
}

export function messageFor({ pk, taskNo }: Pick<TaskRow, 'pk' | 'taskNo'>, wake: Instant): TaskMessage {
  return { v: 1, pk, taskNo, wake, lane: 'internal', cause: 'stream' }
}

export const minutesAfter = (instant: Instant, minutes: number): Instant => plusMs(instant, minutes * 60_000)
