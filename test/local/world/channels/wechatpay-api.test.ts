import { createDecipheriv, createSign, createVerify, X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { only, type Simulation, simulate } from './simulation.ts'

const MCHID = '1900000001'
const ORDER = {
  appid: 'wx0000000000000001',
  mchid: MCHID,
  description: '订单',
  out_trade_no: 'ORDER_0001',
  notify_url: 'https://shop.example.com/callbacks/wechatpay',
  amount: { total: 8800 },
}
const QUERY = `/v3/pay/transactions/out-trade-no/ORDER_0001?mchid=${MCHID}`
const CLOSE = '/v3/pay/transactions/out-trade-no/ORDER_0001/close'

interface Changes {
  readonly atMs?: number
  readonly sentBody?: string
  readonly serial?: string
}

/** A call as WeChat Pay describes it, written apart from the simulator. */
async function call(simulation: Simulation, method: string, path: string, content?: object, changes: Changes = {}) {
  const secret = JSON.parse(simulation.simulators.secrets['wechatpay'] ?? '')
  const body = content === undefined ? '' : JSON.stringify(content)
  const timestamp = Math.floor((changes.atMs ?? simulation.clock.now()) / 1000)
  const signature = createSign('RSA-SHA256')
    .update(`${method}\n${path}\n${timestamp}\nnonce\n${body}\n`)
    .sign(secret.merchantPrivateKey, 'base64')
  const serial = changes.serial ?? secret.merchantSerial
  const response = await fetch(`${simulation.simulators.urls['wechatpay']}${path}`, {
    method,
    headers: {
      accept: 'application/json',
      'user-agent': 'test',
      authorization: `WECHATPAY2-SHA256-RSA2048 mchid="${MCHID}",nonce_str="nonce",signature="${signature}",timestamp="${timestamp}",serial_no="${serial}"`,
    },
    ...(method === 'POST' && { body: changes.sentBody ?? body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    isSigned: isSigned(secret, response.headers, text),
    answer: text === '' ? {} : JSON.parse(text),
  }
}

function isSigned(secret: { platformKeys: Record<string, string> }, headers: Headers, body: string): boolean {
  const key = secret.platformKeys[headers.get('wechatpay-serial') ?? '']
  if (key === undefined) return false
  const text = `${headers.get('wechatpay-timestamp')}\n${headers.get('wechatpay-nonce')}\n${body}\n`
  return createVerify('RSA-SHA256')
    .update(text)
    .verify(key, headers.get('wechatpay-signature') ?? '', 'base64')
}

it('an order is placed, not paid, then paid, and every answer is signed', async () => {
  const simulation = await simulate(['wechatpay'])

  const placed = await call(simulation, 'POST', '/v3/pay/transactions/native', ORDER)
  const before = await call(simulation, 'GET', QUERY)
  const paid = await simulation.control('wechatpay', 'pay', { outTradeNo: 'ORDER_0001' })
  const after = await call(simulation, 'GET', QUERY)
  const byId = await call(simulation, 'GET', `/v3/pay/transactions/id/${paid.body['channelTxnId']}?mchid=${MCHID}`)

  expect(placed).toMatchObject({ status: 200, isSigned: true, answer: { code_url: expect.stringMatching(/^weixin:/) } })
  expect(before).toMatchObject({
    status: 200,
    isSigned: true,
    answer: { trade_state: 'NOTPAY', amount: { total: 8800 } },
  })
  expect(before.answer).not.toHaveProperty('transaction_id')
  expect(after).toMatchObject({
    isSigned: true,
    answer: {
      trade_state: 'SUCCESS',
      transaction_id: paid.body['channelTxnId'],
      amount: { total: 8800, currency: 'CNY' },
      success_time: expect.stringMatching(/\+08:00$/),
    },
  })
  expect(byId.answer).toEqual(after.answer)
})

it('an open order is closed with an empty signed answer, again and again', async () => {
  const simulation = await simulate(['wechatpay'])
  await call(simulation, 'POST', '/v3/pay/transactions/native', ORDER)

  const closed = await call(simulation, 'POST', CLOSE, { mchid: MCHID })
  const again = await call(simulation, 'POST', CLOSE, { mchid: MCHID })
  const after = await call(simulation, 'GET', QUERY)

  expect([closed, again]).toEqual(Array(2).fill({ status: 204, isSigned: true, answer: {} }))
  expect(after.answer.trade_state).toBe('CLOSED')
})

it('a paid order and an unknown one are not closed, in answers without signature', async () => {
  const simulation = await simulate(['wechatpay'])

  const unknown = await call(simulation, 'POST', CLOSE, { mchid: MCHID })
  await simulation.control('wechatpay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  const paid = await call(simulation, 'POST', CLOSE, { mchid: MCHID })

  expect(unknown).toMatchObject({ status: 404, isSigned: false, answer: { code: 'ORDER_NOT_EXIST' } })
  expect(paid).toMatchObject({ status: 400, isSigned: false, answer: { code: 'ORDERPAID' } })
})

it.each<[string, string, string, object | undefined, Changes, number, string]>([
  ['an unknown order', 'GET', QUERY, undefined, {}, 404, 'ORDER_NOT_EXIST'],
  ['a clock six minutes slow', 'GET', QUERY, undefined, { atMs: Date.now() - 360_000 }, 401, 'SIGN_ERROR'],
  ['a body that was not signed', 'POST', CLOSE, { mchid: MCHID }, { sentBody: '{"mchid":"1"}' }, 401, 'SIGN_ERROR'],
  ['another serial', 'GET', QUERY, undefined, { serial: '00' }, 401, 'SIGN_ERROR'],
  ['a query for no merchant', 'GET', QUERY.split('?')[0] ?? '', undefined, {}, 400, 'PARAM_ERROR'],
  [
    'an order of nothing',
    'POST',
    '/v3/pay/transactions/native',
    { ...ORDER, amount: { total: 0 } },
    {},
    400,
    'PARAM_ERROR',
  ],
])('%s is refused', async (_what, method, path, content, changes, status, code) => {
  const simulation = await simulate(['wechatpay'])

  const refused = await call(simulation, method, path, content, changes)

  expect(refused).toMatchObject({ status, isSigned: false, answer: { code } })
})

it('a number is not used for another amount', async () => {
  const simulation = await simulate(['wechatpay'])
  await call(simulation, 'POST', '/v3/pay/transactions/native', ORDER)

  const same = await call(simulation, 'POST', '/v3/pay/transactions/native', ORDER)
  const other = await call(simulation, 'POST', '/v3/pay/transactions/native', { ...ORDER, amount: { total: 1 } })

  expect(same.status).toBe(200)
  expect(other).toMatchObject({ status: 403, answer: { code: 'OUT_TRADE_NO_USED' } })
})

it('a throttled API and a lying one answer in their own words', async () => {
  const simulation = await simulate(['wechatpay'])
  await simulation.control('wechatpay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })

  await simulation.control('wechatpay', 'outage', { mode: 'throttle' })
  const throttled = await call(simulation, 'GET', QUERY)
  await simulation.control('wechatpay', 'outage', { mode: 'lie' })
  const denied = await call(simulation, 'GET', QUERY)

  expect(throttled).toMatchObject({ status: 429, answer: { code: 'FREQUENCY_LIMITED' } })
  expect(denied).toMatchObject({ status: 200, isSigned: true, answer: { trade_state: 'NOTPAY' } })
})

it('a notice is sealed, and its content is the transaction', async () => {
  const simulation = await simulate(['wechatpay'])
  await simulation.control('wechatpay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.idle()

  const { body, headers } = only(simulation.received)

  expect(body.toString()).not.toContain('ORDER_0001')
  expect(JSON.parse(body.toString())).toMatchObject({
    event_type: 'TRANSACTION.SUCCESS',
    resource: { algorithm: 'AEAD_AES_256_GCM', associated_data: 'transaction' },
  })
  expect(headers['wechatpay-serial']).toMatch(/^PUB_KEY_ID_/)
})

it('a list of certificates is sealed with the APIv3 key, signed, and holds the one that its serial names', async () => {
  const simulation = await simulate(['wechatpay'])

  const { answer, ...rest } = await call(simulation, 'GET', '/v3/certificates')

  expect(rest).toEqual({ status: 200, isSigned: true })
  const [{ serial_no: serial, encrypt_certificate: sealed, expire_time: expires }] = answer.data
  const { apiV3Keys } = JSON.parse(simulation.simulators.secrets['wechatpay'] ?? '')
  const bytes = Buffer.from(sealed.ciphertext, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', apiV3Keys[0], sealed.nonce)
  decipher.setAAD(Buffer.from(sealed.associated_data)).setAuthTag(bytes.subarray(-16))
  const pem = Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString()
  const certificate = new X509Certificate(pem)
  expect(certificate.serialNumber).toBe(serial)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(Date.parse(expires)).toBe(certificate.validToDate.getTime())
})
