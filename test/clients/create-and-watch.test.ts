import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { closeOrderWrites } from '../../modules/ledger/order/close-order-writes.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { NOW, openOrdersApi } from '../orders/orders-api.ts'
import { anOrderNo, sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { serveApi } from './api-server.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/create-and-watch.ts', import.meta.url))
const { ledger } = await openTestLedger()
const server = await serveApi(openOrdersApi(ledger))
const dir = mkdtempSync(join(tmpdir(), 'example-'))
const tokenFile = join(dir, 'token')
writeFileSync(tokenFile, 'the-token\n')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function runExample(
  onLine: (line: string) => void,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const child = spawn(process.execPath, [EXAMPLE, '--api', server.url, '--token-file', tokenFile])
  let errors = ''
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString()
  })
  child.stdout.on('data', (data: Buffer) => {
    for (const line of data.toString().trimEnd().split('\n')) onLine(line)
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, errors })))
}

const NO_RULES = { policies: bindPolicies({}), notices: new Set<never>() }

async function close(orderNo: ReturnType<typeof anOrderNo>): Promise<void> {
  const { order, lines } = await readOrderFile(ledger, orderNo)
  const cause = {
    operatorType: 'POLICY',
    operator: 'CLOSE_ORDER',
    reason: 'NOT_PAID_IN_TIME',
    evidence: 'ORDER',
  } as const
  await commit(
    ledger,
    closeOrderWrites({ order: sure(order), lines: lines }, cause, rowExists, { ...NO_RULES, now: NOW }),
    NOW,
  )
}

it('the example creates an order and prints each change until the end', async () => {
  const lines: string[] = []
  const closed: Promise<void>[] = []

  const { code, errors } = await runExample((line) => {
    lines.push(line)
    if (line.includes('-> PAYING')) closed.push(close(anOrderNo(lines[0]?.split(' ')[0])))
  })
  await Promise.all(closed)

  expect(errors).toBe('')
  expect(code).toBe(0)
  expect(lines[0]).toMatch(/^DEMO-\d+ WAIT_PAY, closes at /)
  expect(lines.slice(2)).toEqual([
    'created -> WAIT_PAY (ORDER_CREATED)',
    'WAIT_PAY -> PAYING (PAY_ATTEMPT_STARTED)',
    'PAYING -> CLOSED (NOT_PAID_IN_TIME)',
  ])
  expect(server.received[0]).toEqual({ route: 'PUT /orders/{orderNo}', authorization: 'Bearer the-token' })
})

it('the example ends with the refusal’s code and what to do', async () => {
  const body = JSON.stringify({ code: 'INTERNAL', status: 500, title: 'A bug', type: 'urn:x', detail: 'Report it.' })
  server.canned.push({ status: 500, headers: { 'content-type': 'application/problem+json' }, body })

  const { code, errors } = await runExample(() => undefined)

  expect(code).toBe(1)
  expect(errors).toBe('INTERNAL: Report it.\n')
})
