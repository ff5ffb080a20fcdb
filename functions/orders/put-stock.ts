import type { Sku } from '../../modules/core/ids.ts'
import { DEFAULT_INTERFACES, type DeliveryInterface, type StockKind, webhookNameOf } from '../../modules/core/stock.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import { putStockWrites, type StockSettings, totalsOf } from '../../modules/ledger/stock/put-stock-writes.ts'
import { readStock, type SkuStock } from '../../modules/ledger/stock/read-stock.ts'
import type { OrdersDeps } from './deps.ts'
import type { PutStockBody } from './stock-schemas.ts'
import { etagOf, viewStock } from './stock-views.ts'

/** Orders of a hot sku meet in one of so many buckets unless the merchant says otherwise. */
const DEFAULT_BUCKETS = 10

/** What the caller has seen: `If-Match` names a revision, `If-None-Match: *` that there was nothing. */
export interface Preconditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
}

/**
 * Has a sku counted, or counts it anew. What stands already is answered as done whatever the caller had seen: a request is
 * repeated when its answer was lost. Source for that: RFC 9110, 13.1.1
 * @throws ProblemError STOCK_CHANGED, STOCK_BELOW_TAKEN, STOCK_KIND_DIFFERS, VALIDATION_FAILED
 */
export function putStock(deps: OrdersDeps, sku: Sku, body: PutStockBody, seen: Preconditions): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const before = await readStock(deps.ledger, sku)
    const wanted = settingsOf(deps, sku, body, before)
    if (before !== undefined && stands(before, wanted)) return { kind: 'answer', answer: answerOf(before, 200) }
    checkSeen(before, seen)
    const taken = before === undefined ? 0 : totalsOf(before).reserved + totalsOf(before).sold
    if (wanted.onHand < taken) {
      throw new ProblemError('STOCK_BELOW_TAKEN', `${taken} are reserved or sold: onHand counts those too.`, {
        fields: [{ field: 'onHand', problem: `must be at least ${taken}` }],
      })
    }
    const status = before === undefined ? 201 : 200
    return {
      kind: 'commit',
      writes: putStockWrites(wanted, before),
      answer: answerOf(after(wanted, before, now), status),
    }
  })
}

function settingsOf(deps: OrdersDeps, sku: Sku, body: PutStockBody, before: SkuStock | undefined): StockSettings {
  const kind = body.kind ?? before?.sku.kind ?? 'goods'
  if (before !== undefined && kind !== before.sku.kind) {
    throw new ProblemError('STOCK_KIND_DIFFERS', `'${sku}' is of kind ${before.sku.kind}, which never changes.`, {
      fields: [{ field: 'kind', problem: "differs from the sku's" }],
    })
  }
  const interfaces = body.interfaces ?? before?.sku.interfaces ?? DEFAULT_INTERFACES[kind]
  checkInterfaces(deps, kind, interfaces)
  return {
    sku,
    kind,
    interfaces,
    buckets: body.buckets ?? before?.sku.buckets ?? DEFAULT_BUCKETS,
    onHand: onHandOf(kind, body.onHand, before),
  }
}

function onHandOf(kind: StockKind, given: number | undefined, before: SkuStock | undefined): number {
  if (kind === 'goods') {
    if (given === undefined) throw invalidField('onHand', 'is missing')
    return given
  }
  if (given !== undefined) throw invalidField('onHand', 'must be left out: of a sku of codes the codes are counted')
  return before === undefined ? 0 : totalsOf(before).onHand
}

function checkInterfaces(deps: OrdersDeps, kind: StockKind, interfaces: readonly DeliveryInterface[]): void {
  if (kind === 'goods' && interfaces.includes('card-code')) {
    throw invalidField('interfaces', "must not name 'card-code': the sku is of kind goods")
  }
  if (kind === 'card-code' && !interfaces.includes('card-code')) {
    throw invalidField('interfaces', "must name 'card-code': the sku is of that kind")
  }
  for (const [index, way] of interfaces.entries()) {
    const name = way === 'card-code' ? undefined : webhookNameOf(way)
    if (name !== undefined && !deps.webhooks.has(name)) {
      throw invalidField(`interfaces[${index}]`, `names no configured webhook: '${name}'`)
    }
  }
}

function stands({ sku, buckets }: SkuStock, wanted: StockSettings): boolean {
  return (
    sku.kind === wanted.kind &&
    sku.buckets === wanted.buckets &&
    sku.interfaces.join() === wanted.interfaces.join() &&
    totalsOf({ buckets }).onHand === wanted.onHand
  )
}

function checkSeen(before: SkuStock | undefined, { ifMatch, ifNoneMatch }: Preconditions): void {
  if (before === undefined && ifMatch === undefined) return
  if (before !== undefined && ifNoneMatch === undefined && namesRevision(ifMatch, etagOf(before))) return
  throw new ProblemError(
    'STOCK_CHANGED',
    before === undefined
      ? 'The sku is not counted yet: leave If-Match out.'
      : 'Read the sku again and send its ETag as If-Match.',
  )
}

/** Compared strongly: a weak tag never fits. Source: RFC 9110, 13.1.1 */
function namesRevision(ifMatch: string | undefined, etag: string): boolean {
  if (ifMatch?.trim() === '*') return true
  return (ifMatch ?? '').split(',').some((tag) => tag.trim() === etag)
}

/** As the sku will stand, as far as this request decides it: orders go on taking meanwhile. */
function after(wanted: StockSettings, before: SkuStock | undefined, now: SkuStock['sku']['updatedAt']) {
  const totals = before === undefined ? { onHand: 0, reserved: 0, sold: 0, available: 0 } : totalsOf(before)
  return {
    settings: { ...wanted, rev: (before?.sku.rev ?? 0) + 1, updatedAt: now },
    totals: { ...totals, onHand: wanted.onHand, available: totals.available + wanted.onHand - totals.onHand },
  }
}

function answerOf(stock: SkuStock | ReturnType<typeof after>, status: number): Answer {
  const seen = 'settings' in stock ? stock : { settings: stock.sku, totals: totalsOf(stock) }
  return { status, headers: { etag: `"${seen.settings.rev}"` }, body: viewStock(seen.settings, seen.totals) }
}
