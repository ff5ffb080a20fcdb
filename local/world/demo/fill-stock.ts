import { callApi, type World } from './act.ts'
import { MAX_QUANTITY } from './plan.ts'

/** Codes that the API takes at once. */
const CODES_AT_ONCE = 500

/** Goods that are counted, and a pool of card codes; tea is neither, as most merchants' skus are. */
export async function fillStock(world: World, orders: number): Promise<void> {
  await callApi(world, 'PUT', '/stock/cup', { kind: 'goods', onHand: orders * MAX_QUANTITY })
  await callApi(world, 'PUT', '/stock/gift-card', { kind: 'card-code' })
  const codes = Array.from({ length: orders * MAX_QUANTITY }, (_, index) => `GIFT-${1_000_000 + index}`)
  for (let first = 0; first < codes.length; first += CODES_AT_ONCE) {
    await callApi(world, 'POST', '/stock/gift-card/codes', { codes: codes.slice(first, first + CODES_AT_ONCE) })
  }
}
