import { describe, expect, it } from 'vitest'
import { InvalidExpressionError } from '../../../../local/engines/scheduler/errors.ts'
import { nextFire } from '../../../../local/engines/scheduler/next-fire.ts'

const next = (expression: string, after: string, timeZone = 'UTC'): string | undefined => {
  const at = nextFire(expression, timeZone, Date.parse(after))
  return at === undefined ? undefined : new Date(at).toISOString().replace(':00.000Z', 'Z')
}

describe('cron fires next', () => {
  it.each([
    ['every fifteen minutes', 'cron(0/15 * * * ? *)', '2026-01-01T00:15:00Z', '2026-01-01T00:30Z'],
    ['at a step of all', 'cron(*/20 * * * ? *)', '2026-01-01T00:41:00Z', '2026-01-01T01:00Z'],
    ['at a step in a range', 'cron(10-40/15 8 * * ? *)', '2026-01-01T08:26:00Z', '2026-01-01T08:40Z'],
    ['at a list', 'cron(5,50 8 * * ? *)', '2026-01-01T08:05:00Z', '2026-01-01T08:50Z'],
    ['on the last day of the month', 'cron(0 0 L * ? *)', '2028-02-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['on the last working day', 'cron(0 0 LW * ? *)', '2026-05-01T00:00:00Z', '2026-05-29T00:00Z'],
    ['on the working day near a Saturday', 'cron(0 0 15W * ? *)', '2026-08-01T00:00:00Z', '2026-08-14T00:00Z'],
    ['on the working day near a Sunday', 'cron(0 0 15W * ? *)', '2026-03-01T00:00:00Z', '2026-03-16T00:00Z'],
    ['on 1W inside the month', 'cron(0 0 1W * ? *)', '2026-07-31T00:01:00Z', '2026-08-03T00:00Z'],
    ['on 31W only in long months', 'cron(0 0 31W * ? *)', '2026-04-01T00:00:00Z', '2026-05-29T00:00Z'],
    ['on the last Friday', 'cron(0 12 ? * 6L *)', '2026-01-01T00:00:00Z', '2026-01-30T12:00Z'],
    ['on the last Friday by name', 'cron(0 12 ? * FRIL *)', '2026-01-01T00:00:00Z', '2026-01-30T12:00Z'],
    ['on the third Tuesday', 'cron(0 12 ? * 3#3 *)', '2026-01-01T00:00:00Z', '2026-01-20T12:00Z'],
    ['on a fifth Monday only where there is one', 'cron(0 0 ? * MON#5 *)', '2026-01-01T00:00:00Z', '2026-03-30T00:00Z'],
    ['on named weekdays', 'cron(0 9 ? * MON-FRI *)', '2026-01-02T09:00:00Z', '2026-01-05T09:00Z'],
    ['on a range across the weekend', 'cron(0 9 ? * FRI-MON *)', '2026-01-05T09:00:00Z', '2026-01-09T09:00Z'],
    ['in named months', 'cron(0 0 1 jan,JUL ? *)', '2026-01-01T00:00:00Z', '2026-07-01T00:00Z'],
    ['on 29 February', 'cron(0 0 29 2 ? *)', '2026-01-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['in a later year', 'cron(0 0 1 1 ? 2030/5)', '2026-01-01T00:00:00Z', '2030-01-01T00:00Z'],
  ])('%s', (_title, expression, after, expected) => {
    expect(next(expression, after)).toBe(expected)
  })

  it('never, once its years are over', () => {
    expect(next('cron(0 0 1 1 ? 2020-2025)', '2026-01-01T00:00:00Z')).toBeUndefined()
  })

  it('never on a day that no month has', () => {
    expect(next('cron(0 0 30 2 ? *)', '2026-01-01T00:00:00Z')).toBeUndefined()
  })
})

describe('in a time zone', () => {
  it('a daily time keeps its wall clock across the spring change', () => {
    expect(next('cron(0 9 * * ? *)', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T07:00Z')
  })

  it('a time that the spring change skips moves forward by the gap', () => {
    expect(next('cron(30 2 * * ? *)', '2026-03-07T12:00:00Z', 'America/New_York')).toBe('2026-03-08T07:30Z')
  })

  it('a skipped time still fires when asked for within the gap', () => {
    expect(next('cron(30 2 * * ? *)', '2026-03-08T07:10:00Z', 'America/New_York')).toBe('2026-03-08T07:30Z')
  })

  it('a time that autumn shows twice fires the first time, and once', () => {
    const first = next('cron(30 1 * * ? *)', '2026-10-31T12:00:00Z', 'America/New_York')
    const second = next('cron(30 1 * * ? *)', '2026-11-01T05:30:00Z', 'America/New_York')

    expect([first, second]).toEqual(['2026-11-01T05:30Z', '2026-11-02T06:30Z'])
  })

  it('every firing of a spring night comes once, in order', () => {
    const fired: string[] = []
    let after = '2026-03-08T06:00:00Z'
    for (let i = 0; i < 4; i++) {
      after = next('cron(0/30 * * * ? *)', after, 'America/New_York')?.replace('Z', ':00Z') ?? ''
      fired.push(after.slice(11, 16))
    }

    expect(fired).toEqual(['06:30', '07:00', '07:30', '08:00'])
  })

  it('a zone of half an hour is read as its wall clock', () => {
    expect(next('cron(0 0 * * ? *)', '2026-01-01T00:00:00Z', 'Asia/Kolkata')).toBe('2026-01-01T18:30Z')
  })

  it('at(…) is wall-clock time', () => {
    expect(next('at(2026-07-01T08:00:00)', '2026-01-01T00:00:00Z', 'Asia/Shanghai')).toBe('2026-07-01T00:00Z')
  })
})

it('a rate counts from the instant that is given', () => {
  expect(next('rate(5 minutes)', '2026-01-01T00:01:00Z')).toBe('2026-01-01T00:06Z')
  expect(next('rate(1 day)', '2026-01-01T00:01:00Z')).toBe('2026-01-02T00:01Z')
})

it('at(…) fires once', () => {
  expect(next('at(2026-01-01T00:00:00)', '2026-01-01T00:00:00Z')).toBeUndefined()
})

describe('not an expression', () => {
  it.each([
    'every day',
    'rate(0 minutes)',
    'rate(5 weeks)',
    'at(2026-02-30T00:00:00)',
    'at(2026-01-01)',
    'cron(0 0 * * * *)',
    'cron(0 0 ? * ? *)',
    'cron(0 0 * * ?)',
    'cron(60 0 * * ? *)',
    'cron(0 24 * * ? *)',
    'cron(0 0 32 * ? *)',
    'cron(0 0 ? * MOX *)',
    'cron(0 0 ? * MON#6 *)',
    'cron(0/0 0 * * ? *)',
    'cron(1-2-3 0 * * ? *)',
    'cron(, 0 * * ? *)',
  ])('%s', (expression) => {
    expect(() => nextFire(expression, 'UTC', 0)).toThrow(InvalidExpressionError)
  })
})
