import { expect, it } from 'vitest'
import { HINT_HOLD_MS, type HoldingTask, holdsClose, UNREAD_HOLD_MS } from '../../modules/core/holds-close.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { taskStatuses } from '../../modules/core/task.ts'
import { anInstant } from '../support/core-builders.ts'

const T0 = anInstant()
const parked: HoldingTask = { bizType: 'SETTLE_CALLBACK', status: 'WAITING', createdAt: T0 }
const hinted: HoldingTask = { bizType: 'QUERY_PAYMENT', status: 'WAITING', createdAt: T0, isHinted: true }
const unread: HoldingTask = { bizType: 'REVIEW', status: 'MANUAL', createdAt: T0, isUnreadMoney: true }

it.each(taskStatuses)('a parked callback in %s holds the close while a machine still works on it', (status) => {
  const isAtWork = ['WAITING', 'RETRY', 'PROCESSING'].includes(status)
  expect(holdsClose([{ ...parked, status }], plusMs(T0, 30 * 24 * 3_600_000))).toBe(
    isAtWork ? 'CALLBACK_PARKED' : undefined,
  )
})

it('hints hold it for an hour from the first one, however many follow', () => {
  const later = { ...hinted, createdAt: plusMs(T0, HINT_HOLD_MS - 1) }

  expect(holdsClose([{ ...hinted, status: 'SUCCESS' }, later], plusMs(T0, HINT_HOLD_MS - 1))).toBe(
    'PAYMENT_IS_ASKED_ABOUT',
  )
  expect(holdsClose([{ ...hinted, status: 'SUCCESS' }, later], plusMs(T0, HINT_HOLD_MS))).toBeUndefined()
  expect(holdsClose([{ ...hinted, status: 'SUCCESS' }], T0)).toBeUndefined()
})

it('money that nobody could read holds it for a day, unless a person has said what it is', () => {
  expect(holdsClose([unread], plusMs(T0, UNREAD_HOLD_MS - 1))).toBe('MONEY_UNREAD')
  expect(holdsClose([unread], plusMs(T0, UNREAD_HOLD_MS))).toBeUndefined()
  expect(holdsClose([{ ...unread, status: 'CLOSED' }], T0)).toBeUndefined()
})

it('nothing else holds it', () => {
  expect(holdsClose([], T0)).toBeUndefined()
  expect(holdsClose([{ bizType: 'QUERY_PAYMENT', status: 'WAITING', createdAt: T0 }], T0)).toBeUndefined()
  expect(holdsClose([{ bizType: 'REVIEW', status: 'MANUAL', createdAt: T0 }], T0)).toBeUndefined()
})
