import { expect, it } from 'vitest'
import { ArgumentError, readArguments } from '../../ops/arguments.ts'

it('a requeue has ten minutes, ten a second and no dry run unless told otherwise', () => {
  expect(readArguments(['requeue', '--channel', 'alipay', '--status', 'RETRY'])).toEqual({
    command: { name: 'requeue', channel: 'alipay', status: 'RETRY', olderThanMs: 600_000, dryRun: false, ratePerS: 10 },
    json: false,
  })
})

it('everything that a requeue may be told is read', () => {
  const line =
    'requeue --channel alipay --type DELIVER --status MANUAL --older-than 2h --no-success-since 2026-03-01T09:00:00+01:00 --rate 50/s --dry-run --json --stack-outputs out.json'

  expect(readArguments(line.split(' '))).toEqual({
    command: {
      name: 'requeue',
      channel: 'alipay',
      type: 'DELIVER',
      status: 'MANUAL',
      olderThanMs: 7_200_000,
      noSuccessSince: '2026-03-01T08:00:00.000Z',
      dryRun: true,
      ratePerS: 50,
    },
    json: true,
    stackOutputs: 'out.json',
  })
})

it.each([
  ['gate', { name: 'gate show' }],
  ['gate alipay', { name: 'gate show', lane: 'alipay' }],
  ['gate resume alipay', { name: 'gate resume', lane: 'alipay' }],
  ['gate pause alipay --for 10m --reason keys', { name: 'gate pause', lane: 'alipay', forMs: 600_000, reason: 'keys' }],
  ['redrive callbacks --rate 3', { name: 'redrive', queue: 'callbacks', dryRun: false, ratePerS: 3 }],
])('%s is understood', (line, command) => {
  expect(readArguments(line.split(' ')).command).toEqual(command)
})

it.each([
  ['', 'Say what to do: requeue, redrive, gate or teardown.'],
  ['restart', 'Say what to do: requeue, redrive, gate or teardown.'],
  ['requeue --status RETRY', 'Name the lane with --channel: a channel, merchant or internal.'],
  ['requeue --channel a --status SUCCESS', 'Give --status one of RETRY, MANUAL, WAITING, CLOSED.'],
  ['requeue --channel a --status RETRY --older-than 10', '--older-than takes a span such as 90s, 10m, 2h or 1d.'],
  ['requeue --channel a --status RETRY --rate 0', '--rate takes a number per second from 1 to 500, such as 10/s.'],
  ['requeue --channel a --status RETRY extra', "'extra' was not expected."],
  ['requeue --channel a --status RETRY --for 1m', "--for means nothing for 'requeue'."],
  ['redrive', "Name what to redrive: a lane, 'callbacks', or a queue."],
  ['gate pause alipay --reason x', 'Say for how long with --for, such as --for 10m.'],
  ['gate pause alipay --for 2d --reason x', 'A lane is paused for 24h at most; pause it again later.'],
  ['gate pause alipay --for 2h', 'Say why with --reason; it is shown to others.'],
  ['gate resume', 'Name the lane to resume.'],
])('"%s" is answered with one sentence', (line, sentence) => {
  expect(() => readArguments(line.split(' ').filter(Boolean))).toThrow(new ArgumentError(sentence))
})

it('a time without its zone, a type and an option that do not exist are named', () => {
  const base = ['requeue', '--channel', 'a', '--status', 'RETRY']

  expect(() => readArguments([...base, '--no-success-since', '2026-03-01'])).toThrow('a time with its zone')
  expect(() => readArguments([...base, '--type', 'QUERY'])).toThrow("There is no task type 'QUERY'")
  expect(() => readArguments([...base, '--fast'])).toThrow(new ArgumentError("Unknown option '--fast'."))
})
