import { expect, it } from 'vitest'
import { stockFaults } from '../../local/world/invariants/stock-faults.ts'
import { type Row, readRow } from '../../modules/ledger/table/rows.ts'
import { anInstant } from '../support/core-builders.ts'

const written = { v: 1, rev: 1, updatedAt: anInstant() }
const aRow = (row: Record<string, unknown>): Row => readRow({ ...written, ...row })

const bucket = (change: object = {}) =>
  aRow({
    et: 'STOCK',
    pk: 'STOCK#CARD',
    sk: 'B#00',
    sku: 'CARD',
    bucket: 0,
    onHand: 5,
    available: 2,
    reserved: 2,
    sold: 1,
    ...change,
  })
const line = (orderNo: string, state: string, qty: number, change: object = {}) =>
  aRow({
    et: 'LINE',
    pk: `ORDER#${orderNo}`,
    sk: 'LINE#01',
    line: 1,
    sku: 'CARD',
    qty,
    state,
    taken: [{ bucket: 0, qty }],
    ...change,
  })
const sku = aRow({
  et: 'SKU',
  pk: 'STOCK#CARD',
  sk: 'SKU',
  sku: 'CARD',
  kind: 'card-code',
  interfaces: ['card-code'],
  buckets: 1,
})
const sealed = new Uint8Array([1])
const free = (codeId: string) =>
  aRow({ et: 'CODE', pk: 'CODE#CARD', sk: `FREE#${codeId}`, sku: 'CARD', codeId, keyId: 'k1', sealed })
const used = (codeId: string) =>
  aRow({ et: 'USED_CODE', pk: 'CODE#CARD', sk: `USED#${codeId}`, sku: 'CARD', codeId, orderNo: 'SOLD-1', line: 1 })
const bound = (codeId: string) =>
  aRow({ et: 'CODE', pk: 'ORDER#SOLD-1', sk: `CODE#${codeId}`, sku: 'CARD', codeId, keyId: 'k1', sealed, line: 1 })
const delivered = { deliveredBy: 'card-code', deliveredAt: anInstant() }

const sound = [bucket(), line('OPEN-1', 'RESERVED', 2), line('SOLD-1', 'SOLD', 1)]
const soundCodes = [
  sku,
  bucket(),
  line('OPEN-1', 'RESERVED', 2),
  line('SOLD-1', 'SOLD', 1, delivered),
  ...['a', 'b', 'c', 'd'].map(free),
  used('e'),
  bound('e'),
]

it('stock that adds up has no faults', () => {
  expect(stockFaults(sound)).toEqual([])
  expect(stockFaults(soundCodes)).toEqual([])
})

it.each<[string, readonly Row[], RegExp]>([
  ['sides that do not add up', [bucket({ available: 3 }), ...sound.slice(1)], /3 \+ 2 \+ 1 is not 5/],
  [
    'a reservation that no line holds',
    [sound[0], sound[2]].flatMap((row) => row ?? []),
    /2 reserved, but lines hold 0/,
  ],
  ['a sale that no line holds', sound.slice(0, 2), /1 sold, but lines hold 0/],
  [
    'a line that takes too little',
    [bucket(), line('OPEN-1', 'RESERVED', 2, { qty: 3 }), line('SOLD-1', 'SOLD', 1)],
    /another quantity/,
  ],
  ['a line without its bucket', [line('OPEN-1', 'RESERVED', 2)], /bucket that is not there/],
  ['a lost code', soundCodes.filter((row) => row.sk !== 'FREE#a'), /3 free and 1 used codes are not the 5/],
  [
    'a code that is free and used',
    [...soundCodes.filter((row) => row.sk !== 'FREE#a'), free('e')],
    /both free and used/,
  ],
  ['a used code without an order', soundCodes.filter((row) => row.sk !== 'CODE#e'), /bound to no line/],
  ['a bound code that was not used up', [...soundCodes, bound('a')], /2 codes are bound and 1 marked/],
  [
    'a code of a line that was not delivered',
    [...soundCodes.slice(0, 3), line('SOLD-1', 'SOLD', 1), ...soundCodes.slice(4)],
    /not delivered with codes/,
  ],
])('%s is a fault', (_, rows, sentence) => {
  expect(stockFaults(rows).join('\n')).toMatch(sentence)
})

it('a line whose order went another way is a fault', () => {
  const order = aRow({
    et: 'ORDER',
    pk: 'ORDER#OPEN-1',
    sk: 'ORDER',
    orderNo: 'OPEN-1',
    status: 'CLOSED',
    settlement: 'PENDING',
    amount: 1,
    currency: 'CNY',
    contentHash: 'h',
    closeAt: anInstant(),
    createdAt: anInstant(),
    lines: 1,
    undelivered: 1,
  })

  expect(stockFaults([...sound, order])).toEqual(['ORDER#OPEN-1 LINE#01: is RESERVED though the order is CLOSED'])
})
