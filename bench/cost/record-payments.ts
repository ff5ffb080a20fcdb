import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { localConfig } from '../../infra/local-config.ts'
import { openStream } from '../../local/engines/dynamodb/open-stream.ts'
import { synthesizeTemplate } from '../../local/host/synthesize.ts'
import { isObject } from '../../local/host/template/json.ts'
import type { Template } from '../../local/host/template/template.ts'
import { type LocalApp, startApp } from '../../local/world/app.ts'
import { clientOf } from '../../modules/channels/clients.ts'
import type { NoticeType } from '../../modules/core/notice.ts'
import { AMOUNT, expectOk, openShop, runWithCallers, shopAccounts } from '../shop.ts'
import type { Item } from './item-size.ts'
import { type Invocation, RECORDING_MARK } from './recording.ts'
import { tracedShare } from './traced-share.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const RECORDED = 'bench/cost/recorded-handler.ts'
/** A few at a time, so that queues carry batches as they do under light load. */
const CALLERS = 4
/** Past the close time of every order. */
const UNTIL_CLOSED_MS = 20 * 60_000
const PAGE = 1000
/** Invocations of each function, were the stage traced: a million payments a month are fewer. */
const PER_SECOND = 1

/** One change of an item, with its images before and after, in the order in which the table took them. */
export interface Change {
  readonly key: string
  readonly before?: Item
  readonly after?: Item
}

export interface Recording {
  readonly payments: number
  readonly table: string
  /** Share of the invocations that X-Ray is sent. */
  readonly traced: number
  readonly invocations: readonly Invocation[]
  readonly changes: readonly Change[]
}

/** Whether a payment's notice arrives; with `lost` only channels that can be asked are paid at, and the query finds out. */
export type Notices = 'sent' | 'lost'

/**
 * Runs payments through the whole stack, from the order to the close timer, and records every call.
 * @param told what the merchant is told of beside his deliveries
 */
export async function recordPayments(
  payments: number,
  notices: Notices = 'sent',
  // As a merchant is told who changes nothing, and not of everything as on this machine.
  told: readonly NoticeType[] = localConfig().merchant.notices,
): Promise<Recording> {
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-bench-'))
  const template = await synthesizeTemplate({ cacheDir: join(ROOT, '.backstop/cache') })
  const invocations: Invocation[] = []
  const errors: string[] = []
  try {
    const app = await startApp({
      stateDir,
      template: withRecording(template),
      notices: told,
      onLog: ({ line }) => {
        if (line.startsWith(RECORDING_MARK)) invocations.push(readInvocation(line))
        else if (line.includes('"level":"ERROR"')) errors.push(line)
      },
    })
    try {
      const shop = await openShop(app, stateDir)
      const channels = notices === 'sent' ? shop.channels : channelsThatCanBeAsked()
      const channelOf = (index: number) => channels[index % channels.length] ?? ''
      await runWithCallers(payments, CALLERS, async (index) => {
        const orderNo = `SO-20261130-${String(index).padStart(4, '0')}`.replaceAll('-', '')
        await shop.order(orderNo, channelOf(index))
        if (notices === 'sent') await shop.pay(orderNo, channelOf(index), index + 1)
        else await payUnheard(app, orderNo, channelOf(index))
      })
      await app.stack.idle()
      await app.stack.leapBy(UNTIL_CLOSED_MS)
      if (errors.length > 0) throw new Error(`A recorded run has no errors; this one had:\n${errors.join('\n')}`)
      const table = app.stack.resolve('Ledger/Table')
      const traced = localConfig().tracing ? tracedShare(PER_SECOND) : 0
      const changes = await readChanges(app.stack.dynamodbEndpoint, table, stateDir)
      return { payments, table, traced, invocations, changes }
    } finally {
      await app.stop()
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true })
  }
}

function channelsThatCanBeAsked(): readonly string[] {
  return shopAccounts()
    .filter((account) => clientOf(account).canQuery)
    .map(({ id }) => id)
}

/** The buyer pays at the channel, and no notice of it ever leaves. */
async function payUnheard({ simulators }: LocalApp, outTradeNo: string, channel: string): Promise<void> {
  const body = JSON.stringify({ outTradeNo, amount: AMOUNT, currency: 'CNY', callbacks: 'lose' })
  await expectOk(
    await fetch(`${simulators.urls[channel]}/control/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
  )
}

/** The same template with each function's file behind the recorder. */
function withRecording(template: Template): Template {
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    const entry = resource.Metadata['backstop:entry']
    if (typeof entry !== 'string') return [id, resource] as const
    const environment = isObject(resource.Properties['Environment']) ? resource.Properties['Environment'] : {}
    const variables = isObject(environment['Variables']) ? environment['Variables'] : {}
    const recorded = {
      ...resource,
      Metadata: { ...resource.Metadata, 'backstop:entry': RECORDED },
      Properties: {
        ...resource.Properties,
        Environment: { ...environment, Variables: { ...variables, BACKSTOP_BENCH_ENTRY: entry } },
      },
    }
    return [id, recorded] as const
  })
  return { ...template, Resources: Object.fromEntries(resources) }
}

function readInvocation(line: string): Invocation {
  const { backstopBench } = JSON.parse(line) as { backstopBench: Invocation }
  return backstopBench
}

async function readChanges(endpoint: string, tableName: string, stateDir: string): Promise<readonly Change[]> {
  const stream = openStream({
    endpoint,
    tableName,
    statePath: join(stateDir, 'bench-stream.sqlite'),
    consumer: 'bench',
  })
  const changes: Change[] = []
  try {
    for (let page = await stream.read(PAGE); page.length > 0; page = await stream.read(PAGE)) {
      for (const { dynamodb } of page) changes.push(toChange(dynamodb))
      stream.commit()
    }
  } finally {
    stream.close()
  }
  return changes
}

function toChange(record: {
  readonly OldImage?: unknown
  readonly NewImage?: unknown
  readonly Keys?: unknown
}): Change {
  const { OldImage, NewImage, Keys } = record as { OldImage?: Item; NewImage?: Item; Keys?: Item }
  return {
    key: `${Keys?.['pk']?.S}\n${Keys?.['sk']?.S}`,
    ...(OldImage !== undefined && { before: OldImage }),
    ...(NewImage !== undefined && { after: NewImage }),
  }
}
