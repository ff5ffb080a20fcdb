import { openAlarm } from '../../host/clock/alarm.ts'
import type { Clock } from '../../host/clock/clock.ts'
import type { WorkSource } from '../../host/runtime/idleness.ts'
import { openChannelServer, type Reaction } from './channel-server.ts'
import { answerControl, type Outage, outageSchema } from './control-api.ts'
import { faultsSchema } from './faults.ts'
import { openNoticeSender } from './notice-sender.ts'
import type { Payment } from './payment.ts'
import { openPaymentDesk, type PaymentDesk } from './payment-desk.ts'
import { openPaymentStore, type PaymentStore } from './payment-store.ts'
import type { ApiDesk, ApiRequest, Protocol } from './protocol.ts'

const HOST_CHECK_MS = 50

export interface SimulatorOptions {
  readonly clock: Clock
  readonly protocol: Protocol
  /** The channel's SQLite file. */
  readonly path: string
  readonly port: number
  readonly seed: number
  readonly callbackUrl: () => string
}

/** One channel that runs. */
export interface Simulator {
  readonly url: string
  readonly source: WorkSource
  stop(): Promise<void>
}

/** Starts a channel on its file, where it goes on with what was pending. @throws PortTakenError */
export async function openSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, protocol } = options
  const store = openPaymentStore(options.path)
  let faults = faultsSchema.parse(JSON.parse(store.readSetting('faults') ?? JSON.stringify({ seed: options.seed })))
  let outage: Outage & { readonly until?: number } = readOutage(store)
  const currentMode = () => (outage.until !== undefined && outage.until <= clock.now() ? 'up' : outage.mode)

  const sender = openNoticeSender({ clock, store, protocol, url: options.callbackUrl, faults: () => faults })
  const desk = openPaymentDesk({
    clock,
    store,
    protocol,
    faults: () => faults,
    onNotice: (notice) => sender.add(notice),
  })
  const isHostUp = () => URL.canParse(options.callbackUrl())
  const plans = openAlarm(clock, () => (isHostUp() ? desk.nextDueAt() : undefined), desk.runPlans)
  // The host's clock and address are there only once it is up: alarms that were armed before do not know them.
  const waitForHost = setInterval(() => {
    if (!isHostUp()) return
    clearInterval(waitForHost)
    sender.wake()
    plans.rearm()
  }, HOST_CHECK_MS).unref()
  const controls = {
    desk,
    store,
    setFaults: (next: typeof faults) => {
      faults = next
      store.writeSetting('faults', JSON.stringify(next))
    },
    setOutage: ({ forMs, ...next }: Outage) => {
      outage = { ...next, ...(forMs !== undefined && { until: clock.now() + forMs }) }
      store.writeSetting('outage', JSON.stringify(outage))
    },
  }

  const react = (request: ApiRequest): Reaction => {
    if (request.url.pathname.startsWith('/control/')) {
      const answer = answerControl(request, controls)
      plans.rearm()
      return { kind: 'answer', answer }
    }
    const mode = currentMode()
    const answer = () => protocol.answer(request, apiDesk(desk, store, clock, mode === 'lie'))
    switch (mode) {
      case 'down':
        return { kind: 'cut' }
      case 'slow':
        return { kind: 'late', waitMs: outage.ms, answer }
      case 'throttle':
        return { kind: 'answer', answer: protocol.throttle(request, clock.now()) }
      case 'lie':
      case 'up':
        return { kind: 'answer', answer: answer() }
      default:
        return mode satisfies never
    }
  }
  const server = await openChannelServer(options.port, react)

  return {
    url: server.url,
    source: {
      isBusy: () => sender.isBusy() || server.inFlight() > 0,
      nextDueAt: () => earliest(sender.nextDueAt(), desk.nextDueAt()),
    },
    stop: async () => {
      clearInterval(waitForHost)
      sender.stop()
      plans.close()
      await server.close()
      store.close()
    },
  }
}

function readOutage(store: PaymentStore): Outage & { readonly until?: number } {
  const text = store.readSetting('outage')
  if (text === undefined) return { mode: 'up', ms: 0 }
  const { until, ...rest } = JSON.parse(text)
  return { ...outageSchema.parse(rest), ...(typeof until === 'number' && { until }) }
}

/** Payments as the API shows them: a lying channel denies what was paid, and closes it without effect. */
function apiDesk(desk: PaymentDesk, store: PaymentStore, clock: Clock, lies: boolean): ApiDesk {
  const show = (payment: Payment | undefined): Payment | undefined => {
    if (!lies || payment?.status !== 'paid') return payment
    const { paidAt: _at, paidAmount: _amount, paidCurrency: _currency, ...rest } = payment
    return { ...rest, status: 'open' }
  }
  return {
    now: () => clock.now(),
    find: (outTradeNo) => show(desk.find(outTradeNo)),
    findByTxnId: (channelTxnId) => show(desk.findByTxnId(channelTxnId)),
    place: desk.place,
    close: (payment) => {
      const isReallyOpen = store.paymentOf(payment.id)?.status === 'open'
      return isReallyOpen ? desk.close(payment) : { ...payment, status: 'closed', closedAt: clock.now() }
    },
    recall: (name) => store.readSetting(`api:${name}`),
    remember: (name, value) => store.writeSetting(`api:${name}`, value),
  }
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
