import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { startStack } from '../../../../local/host/stack.ts'
import { chainTemplate } from './chain-template.ts'

const REQUESTS = 80
const KILL_AFTER_ANSWERS = 40

it('loses nothing that it acknowledged when it is killed under load', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-kill-'))
  const host = spawn(process.execPath, [join(import.meta.dirname, 'host-to-kill.ts'), stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(host.stdout, 'data')
  const url = String(line).trim()
  const acknowledged: string[] = []

  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const body = `m${String(index).padStart(3, '0')}`
      const status = await postMessage(`${url}/messages/plain`, body)
      if (status === 202) acknowledged.push(body)
      if (acknowledged.length === KILL_AFTER_ANSWERS) host.kill('SIGKILL')
    }),
  )
  const stack = await startStack({ template: chainTemplate, stateDir, rootDir: import.meta.dirname })
  await stack.leapBy(3_700_000)

  const stored = new Set(await scanKeys(stack.dynamodbEndpoint))
  await stack.stop()
  rmSync(stateDir, { recursive: true })
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILL_AFTER_ANSWERS)
  expect(acknowledged.filter((key) => !stored.has(key))).toEqual([])
  expect(acknowledged.filter((key) => !stored.has(`${key}-later`))).toEqual([])
})

/** The status, or `undefined` when the host died before it answered. */
async function postMessage(url: string, body: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
    return answer.status
  } catch {
    return undefined
  }
}

async function scanKeys(endpoint: string): Promise<string[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Table' }))
  client.destroy()
  return Items.map((item) => item['pk']?.S ?? '')
}
