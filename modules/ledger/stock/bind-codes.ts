import type { OrderNo } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { rowExists, rowIsNew } from '../table/conditions.ts'
import { boundCodeKey, freeCodeKey, orderPk, usedCodeKey } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { CodeRow } from '../table/rows.ts'
import { drop, put } from '../table/writes.ts'

/**
 * Codes on their way from the pool to an order's line, as part of the transaction that delivers the line. A code that somebody
 * else has bound meanwhile makes the whole fail; the ciphertext moves as it is.
 */
export function bindCodesWrites(
  orderNo: OrderNo,
  line: number,
  codes: readonly CodeRow[],
  now: Instant,
): readonly Write[] {
  return codes.flatMap(({ sku, codeId, keyId, sealed }): readonly Write[] => [
    drop(freeCodeKey(sku, codeId), rowExists),
    put(
      { ...boundCodeKey(orderPk(orderNo), codeId), et: 'CODE', sku, codeId, keyId, sealed, line, boundAt: now },
      rowIsNew,
    ),
    put({ ...usedCodeKey(sku, codeId), et: 'USED_CODE', sku, codeId, orderNo, line }, rowIsNew),
  ])
}
