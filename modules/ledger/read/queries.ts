import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import type { OrderNo } from '../../core/ids.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import { checkedQuery } from '../table/checked-query.ts'
import type { Ledger } from '../table/client.ts'
import { type Key, ORPHANS_SK, orderPk } from '../table/keys.ts'
import { isKnown, type Row, readRow } from '../table/rows.ts'

type RowOf<Type extends Row['et']> = Extract<Row, { et: Type }>

/** An order's item collection, sorted out by type. `order` is absent while only callbacks and orphans wait for it. */
export interface OrderFile {
  readonly pk: string
  readonly order?: RowOf<'ORDER'>
  readonly lines: readonly RowOf<'LINE'>[]
  readonly payAttempts: readonly RowOf<'PAYATTEMPT'>[]
  readonly payments: readonly RowOf<'PAYMENT'>[]
  readonly refunds: readonly RowOf<'REFUND'>[]
  readonly journal: readonly RowOf<'JOURNAL'>[]
  readonly callbacks: readonly RowOf<'CALLBACK'>[]
  readonly tasks: readonly RowOf<'TASK'>[]
  readonly attempts: readonly RowOf<'ATTEMPT'>[]
  /** How often money came that no order took; absent where there was none. A new order is made only while it stands so. */
  readonly orphansRev?: number
}

/** Everything known of an order in one consistent Query, paged to its end. */
export async function readOrderFile(ledger: Ledger, orderNo: OrderNo): Promise<OrderFile> {
  return readCollection(ledger, orderPk(orderNo))
}

/** `eventual` costs half and may miss what was written a moment ago: only where a condition decides in the end. */
export type Reading = 'consistent' | 'eventual'

/** Reads of a collection that is being written at this moment. */
const MAX_READS = 4

/** An order without all its lines: decided from such a file, goods would neither be sold nor delivered. */
export class TornFileError extends Error {
  override readonly name = 'TornFileError'
  readonly code = 'TORN_FILE'
}

/**
 * One item collection, an order's or an orphan's. A Query is no snapshot: it may show an order whose transaction is under way and
 * not yet its lines, so it is read until they are all there.
 * @throws CorruptRowError, TornFileError
 */
export async function readCollection(ledger: Ledger, pk: string, reading: Reading = 'consistent'): Promise<OrderFile> {
  let file = await readOnce(ledger, pk, reading)
  for (let reads = 1; isTorn(file); reads++) {
    if (reads === MAX_READS)
      throw new TornFileError(`Of ${pk} not all lines or open tries are there. Look for who deleted them.`)
    file = await readOnce(ledger, pk, 'consistent')
  }
  return file
}

/** Lines are never fewer than their order says, nor open tries. More may have come since the order was read: its revision tells. */
function isTorn({ order, lines, payAttempts }: OrderFile): boolean {
  if (order === undefined) return false
  const open = payAttempts.filter(({ state }) => isOpen(state)).length
  return order.lines !== lines.length || open < (order.openTries ?? 0)
}

async function readOnce(ledger: Ledger, pk: string, reading: Reading): Promise<OrderFile> {
  const pages = paginateQuery(
    { client: ledger.client },
    checkedQuery({
      TableName: ledger.table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: reading === 'consistent',
    }),
  )
  const rows: Row[] = []
  for await (const page of pages) rows.push(...(page.Items ?? []).filter(isKnown).map(readRow))
  return sortOut(pk, rows)
}

function sortOut(pk: string, rows: readonly Row[]): OrderFile {
  const of = <Type extends Row['et']>(type: Type): RowOf<Type>[] =>
    rows.filter((row): row is RowOf<Type> => row.et === type)
  const order = of('ORDER')[0]
  const orphans = of('GUARD').find(({ sk }) => sk === ORPHANS_SK)
  return {
    pk,
    ...(orphans !== undefined && { orphansRev: orphans.rev }),
    ...(order !== undefined && { order }),
    lines: of('LINE'),
    payAttempts: of('PAYATTEMPT'),
    payments: of('PAYMENT'),
    refunds: of('REFUND'),
    journal: of('JOURNAL'),
    callbacks: of('CALLBACK'),
    tasks: of('TASK'),
    attempts: of('ATTEMPT'),
  }
}

/** BatchGetItem answers this many keys at most. */
const BATCH_LIMIT = 100
/** Rounds of asking again for keys that a throttled BatchGetItem left out, with full jitter up to 50 ms, doubled each time. */
const MAX_ROUNDS = 5
const FIRST_WAIT_MS = 50

/** DynamoDB answered and left out keys, time after time: throttled, and no bug of ours. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
  readonly code = 'UNANSWERED'
}

/**
 * Reads rows by key in the order of the keys; `undefined` where there is none.
 * @throws UnansweredError after five rounds with unanswered keys: an API answers 503, a trigger comes again
 */
export async function readRows(
  ledger: Ledger,
  keys: readonly Key[],
  reading: Reading = 'consistent',
): Promise<readonly (Row | undefined)[]> {
  if (keys.length > BATCH_LIMIT) throw new RangeError(`At most ${BATCH_LIMIT} keys are read at once.`)
  const found = new Map<string, Row>()
  const ConsistentRead = reading === 'consistent'
  let asked: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }))
  for (let round = 0; asked.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new UnansweredError('DynamoDB left keys of a BatchGetItem unanswered. Try later.')
    if (round > 0) await setTimeout(Math.random() * FIRST_WAIT_MS * 2 ** (round - 1))
    const answer = await ledger.client.send(
      new BatchGetCommand({ RequestItems: { [ledger.table]: { Keys: asked, ConsistentRead } } }),
    )
    for (const item of answer.Responses?.[ledger.table] ?? []) {
      if (isKnown(item)) found.set(`${item['pk']}\n${item['sk']}`, readRow(item))
    }
    asked = answer.UnprocessedKeys?.[ledger.table]?.Keys ?? []
  }
  return keys.map(({ pk, sk }) => found.get(`${pk}\n${sk}`))
}
