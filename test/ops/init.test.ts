import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from '../../infra/read-config.ts'
import { kinds, writeConfig } from '../../ops/write-config.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const sample = readFileSync(join(ROOT, 'examples/backstop.config.ts'), 'utf8')
// Inside the project: a file elsewhere would not find `backstop/config`.
const folder = mkdtempSync(join(ROOT, 'cdk.out-init-'))
afterAll(() => rmSync(folder, { recursive: true }))

const numbers = {
  'alipay.appId': '2021004112233445',
  'alipay.sellerId': '2088611223344556',
  'wechatpay.appId': 'wx8c12345678123456',
  'wechatpay.mchId': '1612345678',
  'adyen.merchantAccounts': 'AcmeShop',
  'adyen.apiBase': 'https://1797a841fbb37ca7-Acme-checkout-live.adyenpayments.com/checkout',
  'paypal.webhookId': '3VW12345AB123456C',
}

it('with every number given, the file that init writes is accepted, with the chosen channels only', async () => {
  const out = relative(ROOT, join(folder, 'backstop.config.ts'))
  const flags = { stage: 'live', 'alarm-email': 'ops@acme.com', 'delivery-url': 'https://acme.com/d', out }
  const args = [
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    `--channels=${kinds.join(',')}`,
    ...Object.entries(numbers).map(([name, value]) => `--set=${name}=${value}`),
  ]
  execFileSync(process.execPath, ['ops/init.ts', ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })

  const config = await readConfig({ path: out })

  expect(config).toMatchObject({
    stage: 'live',
    alarmEmail: 'ops@acme.com',
    merchant: { deliveryUrl: 'https://acme.com/d' },
  })
  expect(new Set(config.channels.map(({ account }) => account.kind))).toEqual(new Set(kinds))
})

it.each(kinds)('a file with %s alone has no other channel', (kind) => {
  const text = writeConfig(sample, {
    stage: 'a',
    alarmEmail: '',
    deliveryUrl: 'https://a.cn',
    channels: [kind],
    numbers,
  })

  expect([...text.matchAll(/kind: '([\w-]+)'/g)].map(([, found]) => found)).toEqual([kind])
})

it('an answer with a quote in it stays one text', () => {
  const text = writeConfig(sample, { stage: 'a', alarmEmail: "o'x@a.cn", deliveryUrl: '$1', channels: [], numbers: {} })

  expect(text).toContain("alarmEmail: 'o\\'x@a.cn'")
  expect(text).toContain("deliveryUrl: '$1'")
})
