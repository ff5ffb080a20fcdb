import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OperationId, routeList, routes } from '../../functions/orders/routes.ts'
import { problems } from '../../modules/http-api/problem.ts'
import { noBody, problemsOf } from '../../modules/http-api/route-spec.ts'
import { routeKeyOf } from '../../modules/http-api/route-table.ts'
import { openTestLedger } from '../support/ledger.ts'
import { addCodes, putStock } from '../support/stock-builders.ts'
import { bodyFields, cards, good, orderNo, queryFields, sku } from './bad-requests.ts'
import { badJson, badText } from './bad-values.ts'
import { type ApiAnswer, anOrderBody, fieldsOf, openOrdersApi, type Sent } from './orders-api.ts'

const { ledger, table } = await openTestLedger()
const api = openOrdersApi(ledger)

const withBody = routeList.filter(({ body }) => body !== noBody).map(({ id }) => id)
const send = (id: OperationId, sent: Sent) => api.send(routeKeyOf(routes[id]), sent)

let before: readonly string[] = []

beforeAll(async () => {
  await api.put(orderNo, anOrderBody())
  await api.pay(orderNo, { channel: 'alipay' })
  await putStock(api, sku, { onHand: 5 })
  await putStock(api, cards, { kind: 'card-code' })
  await addCodes(api, cards, ['KNOWN-1'])
  before = await everything()
})

// Every request of this file's tables is refused, so the whole table is as it was.
afterAll(async () => {
  expect(before.length).toBeGreaterThan(10)
  expect(await everything()).toEqual(before)
})

/** Every row with its revision, which each write raises. */
async function everything(): Promise<readonly string[]> {
  const { Items = [], LastEvaluatedKey } = await ledger.client.send(
    new ScanCommand({ TableName: table, ConsistentRead: true }),
  )
  if (LastEvaluatedKey !== undefined) throw new Error('The table does not fit one page: read it all.')
  return Items.map((item) => `${item['pk']} ${item['sk']} ${item['rev']}`).sort()
}

/** The good body as JSON, with `raw` in the place that `path` names. */
function bodyWith(id: OperationId, path: string, raw: string): string {
  const mark = '@@here@@'
  return JSON.stringify(replaceAt(good[id].body, path.split('.'), mark)).replace(JSON.stringify(mark), () => raw)
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], mark: string): unknown {
  if (name === undefined) return mark
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === Number(name) ? replaceAt(item, rest, mark) : item))
  }
  const object = z.looseObject({}).parse(value)
  return { ...object, [name]: replaceAt(object[name], rest, mark) }
}

/** A refusal that is a Problem of a code that the route is documented with. */
function expectRefused(id: OperationId, answer: ApiAnswer, codes: readonly string[]): void {
  const code = String(answer.body['code'])
  expect(codes).toContain(code)
  expect(problemsOf(routes[id])).toContain(code)
  expect(answer.status).toBe(Object.entries(problems).find(([name]) => name === code)?.[1].status)
  expect(answer.headers['content-type']).toBe('application/problem+json')
}

describe('the tables of this file', () => {
  it('have every field of every route', () => {
    const bodyShape = z.object({ shape: z.record(z.string(), z.unknown()) })
    const unionShape = z.object({ options: z.array(bodyShape) })
    for (const { id, body, query } of routeList) {
      const union = unionShape.safeParse(body)
      const shapes = union.success ? union.data.options : body === noBody ? [] : [bodyShape.parse(body)]
      const names = new Set(shapes.flatMap(({ shape }) => Object.keys(shape)))

      expect(new Set(bodyFields[id]?.map(([path]) => path.split('.')[0] ?? '')), id).toEqual(names)
      expect(Object.keys(queryFields[id] ?? {}).sort(), id).toEqual(Object.keys(query.shape).sort())
    }
  })

  it.each(routeList.map(({ id }) => id))('begin with a request that its schemas take: %s', (id) => {
    const { params, query, body } = routes[id]

    expect(params.safeParse(good[id].path ?? {}).error).toBeUndefined()
    expect(query.safeParse(good[id].query ?? {}).error).toBeUndefined()
    expect(body.safeParse(good[id].body).error).toBeUndefined()
  })
})

describe('a field of a body', () => {
  const cases = withBody.flatMap((id) =>
    (bodyFields[id] ?? []).map(([path, kind, field = path]) => [id, field, path, kind] as const),
  )

  it.each(cases)('that is wrong is refused by name: %s %s', async (id, field, path, kind) => {
    for (const raw of badJson[kind]) {
      const answer = await send(id, { ...good[id], body: bodyWith(id, path, raw) })

      expect([...new Set(fieldsOf(answer))], raw.slice(0, 80)).toEqual([field])
      expectRefused(id, answer, ['VALIDATION_FAILED'])
    }
  })

  it.each(cases.filter(([, , path]) => !path.endsWith('.0')))(
    'that stands twice is refused by name: %s %s',
    async (id, _, path) => {
      const name = path.split('.').at(-1) ?? ''
      const said = path.startsWith('attributes.') ? '*' : name
      const text = JSON.stringify(good[id].body).replace(`"${name}":`, `"${name}":1,"${name}":`)

      const answer = await send(id, { ...good[id], body: text })

      expect(fieldsOf(answer)).toEqual([said])
      expectRefused(id, answer, ['VALIDATION_FAILED'])
    },
  )
})

describe('a parameter of a path', () => {
  const cases = routeList.flatMap(({ id, params }) => Object.keys(params.shape).map((name) => [id, name] as const))

  it.each(cases)('that is wrong is refused by name: %s %s', async (id, name) => {
    for (const value of badText.id) {
      const answer = await send(id, { ...good[id], path: { ...good[id].path, [name]: value } })

      expect(fieldsOf(answer), value).toEqual([name])
      expectRefused(id, answer, ['VALIDATION_FAILED'])
    }
  })

  it.each(cases)('that is missing is refused by name: %s %s', async (id, name) => {
    const { [name]: _, ...path } = good[id].path ?? {}

    const answer = await send(id, { ...good[id], path })

    expect(fieldsOf(answer)).toEqual([name])
  })
})

describe('a parameter of a query', () => {
  const cases = routeList.flatMap(({ id }) =>
    Object.entries(queryFields[id] ?? {}).map(([name, [kind, beside]]) => [id, name, kind, beside] as const),
  )
  // What a business number may be is up to its type; only its length is ours.
  const wrong = (name: string, kind: keyof typeof badText) => (name === 'bizNo' ? ['', 'x'.repeat(301)] : badText[kind])

  it.each(cases)('that is wrong is refused by name: %s %s', async (id, name, kind, beside) => {
    for (const value of wrong(name, kind)) {
      const answer = await send(id, { ...good[id], query: { ...beside, [name]: value } })

      expect(fieldsOf(answer), value.slice(0, 80)).toEqual([name])
      expectRefused(id, answer, ['VALIDATION_FAILED'])
    }
  })
})

describe('a body', () => {
  const gbk = (text: string) =>
    Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"x":"'), Buffer.from([0xbf, 0xa8]), Buffer.from('"}')])

  it.each(withBody)('that is no JSON object in UTF-8 is refused as a whole: %s', async (id) => {
    const text = JSON.stringify(good[id].body)
    const texts = [
      undefined,
      '',
      ' ',
      'null',
      'true',
      '7',
      '"text"',
      '[]',
      `[${text}]`,
      `${text}${text}`,
      text.slice(0, -1),
      `${text.slice(0, -1)},}`,
      text.replaceAll('"', "'"),
      `${text.slice(0, -1)},"x":NaN}`,
      `${text.slice(0, -1)},"x":01}`,
      `${text.slice(0, -1)},"x":"\u0000"}`,
      `${text.slice(0, -1)},"x":"\\ud800"}`,
      `${text.slice(0, -1)},"\\udc00":1}`,
      `/* */${text}`,
      `\ufeff${text}`,
      encodeURIComponent(text),
      // What the gateway makes of bytes that are no UTF-8 where it hands a body over as text.
      gbk(text).toString('utf8'),
      `${text.slice(0, -1)},"x":${'['.repeat(45_000)}${']'.repeat(45_000)}}`,
      `${text.slice(0, -1)},"x":${'{"x":'.repeat(16_000)}1${'}'.repeat(16_000)}}`,
    ]
    for (const body of texts) {
      const answer = await send(id, { ...good[id], body })

      expect(answer.status, body?.slice(0, 80)).toBe(400)
      expectRefused(id, answer, ['INVALID_JSON'])
    }
    for (const bytes of [gbk(text), Buffer.from(text, 'utf16le'), Buffer.from([0xff, 0xfe]), Buffer.from([0])]) {
      const answer = await send(id, { ...good[id], body: bytes.toString('base64'), isBase64Encoded: true })

      expectRefused(id, answer, ['INVALID_JSON'])
    }
  })

  it.each(withBody)('over its limit is refused before it is read: %s', async (id) => {
    const answer = await send(id, { ...good[id], body: `{"x":"${'卡'.repeat(350_000)}"` })

    expectRefused(id, answer, ['BODY_TOO_LARGE'])
  })

  it.each(withBody)('with a name that cannot be kept is refused by it: %s', async (id) => {
    const answer = await send(id, {
      ...good[id],
      body: `{"__proto__":{"amount":1},${JSON.stringify(good[id].body).slice(1)}`,
    })

    expect(fieldsOf(answer)).toEqual(['__proto__'])
    expectRefused(id, answer, ['VALIDATION_FAILED'])
  })
})

describe('unknown fields', () => {
  it.each(withBody)('pass, whatever is in them: %s', (id) => {
    const more = { unknown: [1.5, null, { deep: [[]] }], 卡: '😀', constructor: 1, toString: null }

    const read = routes[id].body.safeParse({ ...good[id].body, ...more })

    expect(read.data).toEqual(routes[id].body.parse(good[id].body))
  })
})
