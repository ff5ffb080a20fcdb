import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DueHeap } from '../../../../local/engines/sqs/due-heap.ts'

interface Item {
  readonly at: number
  readonly index: number
  readonly isLive: boolean
}

const itemLists = fc
  .array(fc.record({ at: fc.nat(50), isLive: fc.boolean() }), { maxLength: 3000, size: 'max' })
  .map((items) => items.map((item, index): Item => ({ ...item, index })))

function popAll(heap: DueHeap<Item>, now: number): Item[] {
  const popped: Item[] = []
  for (let item = heap.popDue(now); item !== undefined; item = heap.popDue(now)) popped.push(item)
  return popped
}

it('live items come out by instant, equal instants in order of arrival, and none before it is due', () => {
  fc.assert(
    fc.property(itemLists, fc.nat(50), (items, now) => {
      const heap = new DueHeap<Item>((item) => item.isLive)
      for (const item of items) heap.push(item.at, item)
      const expected = items.filter(({ isLive }) => isLive).toSorted((a, b) => a.at - b.at || a.index - b.index)

      const due = popAll(heap, now)
      const nextAt = heap.nextAt()
      const rest = popAll(heap, 50)

      expect(due).toEqual(expected.filter(({ at }) => at <= now))
      expect(nextAt).toBe(expected.find(({ at }) => at > now)?.at)
      expect([...due, ...rest]).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})
