import type {
  CodeRow,
  LineRow,
  OrderRow,
  Row,
  SkuRow,
  StockRow,
  UsedCodeRow,
} from '../../../modules/ledger/table/rows.ts'

/**
 * What is wrong with the stock of a whole ledger, one sentence each.
 * - a bucket: onHand = available + reserved + sold, none below zero, and lines hold the latter two
 * - a line: takes what it orders, in a state that its order allows
 * - a sku of codes: free and used ones are on hand; a used one is bound
 */
export function stockFaults(rows: readonly Row[]): readonly string[] {
  const of = <Type extends Row['et']>(type: Type) =>
    rows.filter((row): row is Extract<Row, { et: Type }> => row.et === type)
  const lines = of('LINE')
  const buckets = of('STOCK')
  const orders = new Map(of('ORDER').map((order) => [order.pk, order]))
  return [
    ...buckets.flatMap((bucket) => bucketFaults(bucket, lines)),
    ...lines.flatMap((line) => lineFaults(line, orders.get(line.pk), buckets)),
    ...of('SKU')
      .filter(({ kind }) => kind === 'card-code')
      .flatMap((sku) => codeFaults(sku, buckets, of('CODE'), of('USED_CODE'), lines)),
  ]
}

function bucketFaults(bucket: StockRow, lines: readonly LineRow[]): readonly string[] {
  const { onHand, available, reserved, sold } = bucket
  const name = `bucket ${bucket.bucket} of ${bucket.sku}`
  const held = (state: LineRow['state']) =>
    sum(
      lines
        .filter((line) => line.state === state && line.sku === bucket.sku)
        .flatMap((line) => (line.taken ?? []).filter((part) => part.bucket === bucket.bucket))
        .map(({ qty }) => qty),
    )
  return [
    ...when(available + reserved + sold !== onHand, `${name}: ${available} + ${reserved} + ${sold} is not ${onHand}`),
    ...when(Math.min(onHand, available, reserved, sold) < 0, `${name}: is below zero`),
    ...when(held('RESERVED') !== reserved, `${name}: ${reserved} reserved, but lines hold ${held('RESERVED')}`),
    ...when(held('SOLD') !== sold, `${name}: ${sold} sold, but lines hold ${held('SOLD')}`),
  ]
}

const STATES: Readonly<Record<OrderRow['status'], readonly LineRow['state'][]>> = {
  WAIT_PAY: ['RESERVED'],
  PAYING: ['RESERVED'],
  PAY_FAILED: ['RESERVED'],
  PAID: ['SOLD', 'RESTOCKED'],
  DELIVERED: ['SOLD', 'RESTOCKED'],
  COMPLETED: ['SOLD', 'RESTOCKED'],
  REFUNDING: ['SOLD', 'RESTOCKED'],
  REFUNDED: ['SOLD', 'RESTOCKED'],
  CLOSED: ['RELEASED'],
}

function lineFaults(line: LineRow, order: OrderRow | undefined, buckets: readonly StockRow[]): readonly string[] {
  const name = `${line.pk} ${line.sk}`
  const { taken = [] } = line
  const lost = taken.filter(({ bucket }) => !buckets.some((row) => row.sku === line.sku && row.bucket === bucket))
  return [
    ...when(
      taken.length > 0 && sum(taken.map(({ qty }) => qty)) !== line.qty,
      `${name}: takes another quantity than it orders`,
    ),
    ...when(lost.length > 0, `${name}: takes from a bucket that is not there`),
    ...when(
      order !== undefined && !STATES[order.status].includes(line.state),
      `${name}: is ${line.state} though the order is ${order?.status}`,
    ),
  ]
}

function codeFaults(
  { sku }: SkuRow,
  buckets: readonly StockRow[],
  codes: readonly CodeRow[],
  used: readonly UsedCodeRow[],
  lines: readonly LineRow[],
): readonly string[] {
  const onHand = sum(buckets.filter((bucket) => bucket.sku === sku).map((bucket) => bucket.onHand))
  const free = codes.filter((code) => code.sku === sku && code.line === undefined)
  const bound = codes.filter((code) => code.sku === sku && code.line !== undefined)
  const gone = used.filter((code) => code.sku === sku)
  const freeIds = new Set(free.map(({ codeId }) => codeId))
  const delivered = lines.filter((line) => line.sku === sku && line.deliveredBy === 'card-code')
  return [
    ...when(
      free.length + gone.length !== onHand,
      `${sku}: ${free.length} free and ${gone.length} used codes are not the ${onHand} on hand`,
    ),
    ...gone
      .filter(({ codeId }) => freeIds.has(codeId))
      .map(({ codeId }) => `${sku}: code ${codeId} is both free and used`),
    ...gone
      .filter(
        (mark) =>
          !bound.some(
            (code) => code.codeId === mark.codeId && code.pk === `ORDER#${mark.orderNo}` && code.line === mark.line,
          ),
      )
      .map(({ codeId }) => `${sku}: used code ${codeId} is bound to no line`),
    ...when(bound.length !== gone.length, `${sku}: ${bound.length} codes are bound and ${gone.length} marked as used`),
    ...delivered
      .filter((line) => bound.filter((code) => code.pk === line.pk && code.line === line.line).length !== line.qty)
      .map((line) => `${line.pk} ${line.sk}: has not the codes that it was delivered with`),
    ...bound
      .filter((code) => !delivered.some((line) => line.pk === code.pk && line.line === code.line))
      .map(({ pk, codeId }) => `${pk}: code ${codeId} is bound to a line that was not delivered with codes`),
  ]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function when(isBroken: boolean, sentence: string): readonly string[] {
  return isBroken ? [sentence] : []
}
