import { afterEach, expect, it, vi } from 'vitest'
import { checkAddress, LOOKUP_TIMEOUT_MS, type LookUp } from '../../../modules/outgoing/webhook/check-address.ts'

const NONE: ReadonlySet<string> = new Set()

afterEach(() => {
  vi.useRealTimers()
})

it('a resolver that hangs is given up like a name that does not exist, and nothing was sent', async () => {
  vi.useFakeTimers()
  const hangs: LookUp = () => new Promise(() => {})

  const checking = checkAddress('https://shop.example.com/hook', NONE, hangs)
  await vi.advanceTimersByTimeAsync(LOOKUP_TIMEOUT_MS)

  expect(await checking).toEqual({ ok: false, problem: 'dns' })
  expect(vi.getTimerCount()).toBe(0)
})

it('a resolver that fails after it was given up harms nobody', async () => {
  vi.useFakeTimers()
  const late = Promise.withResolvers<never>()

  const checking = checkAddress('https://shop.example.com/hook', NONE, () => late.promise)
  await vi.advanceTimersByTimeAsync(LOOKUP_TIMEOUT_MS)
  late.reject(new Error('SERVFAIL'))

  expect(await checking).toEqual({ ok: false, problem: 'dns' })
})

it.each([
  ['93.184.216.34', 4],
  ['2606:2800:220:1::1', 6],
])('the address that was judged is the one to connect to: %s', async (address, family) => {
  const checked = await checkAddress('https://shop.example.com/hook', NONE, async () => ({ address, family }))

  expect(checked).toMatchObject({ ok: true, address, family })
})

it('a public name that points inside is refused', async () => {
  const inside: LookUp = async () => ({ address: '169.254.169.254', family: 4 })

  expect(await checkAddress('https://shop.example.com/', NONE, inside)).toEqual({ ok: false, problem: 'not-allowed' })
})

it.each([
  '::a9fe:a9fe', // 169.254.169.254 in the form that was given up
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001::1',
  '2001:db8::1',
  'fec0::1',
  '4000::1',
  '::1',
  'fe80::1',
  'fd00:ec2::254',
])('IPv6 outside what is given out, or that holds an IPv4 address, is refused: %s', async (address) => {
  const byName: LookUp = async () => ({ address, family: 6 })

  for (const host of [`[${address}]`, 'shop.example.com']) {
    expect(await checkAddress(`https://${host}/`, NONE, byName)).toEqual({ ok: false, problem: 'not-allowed' })
  }
})
