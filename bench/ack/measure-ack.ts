import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRequest } from '../../functions/ingress/read-request.ts'
import { type IngressChannel, receiveCallback } from '../../functions/ingress/receive-callback.ts'
import { type Verify, verifierOf } from '../../modules/channels/verifiers.ts'
import { instantOf } from '../../modules/core/instant.ts'
import type { Figure, Part } from '../part.ts'
import { shopAccounts } from '../shop.ts'
import { openSigner, type Signer } from '../signed-callbacks.ts'
import { quantile, round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { muteOutput } from './mute-output.ts'

/** Budgets of the 99th percentile. Source: issue 4 */
const HMAC_MS = 1
const RSA_MS = 2
const RSA_KINDS: ReadonlySet<string> = new Set(['alipay', 'wechatpay'])
const WARM_UP = 500
/** Rounds; the quietest one is told, since others work on the same machine. */
const ROUNDS = 5
const MESSAGE_ID = '5fea7756-0ea4-451a-a703-a558b933e274'

type Event = Parameters<typeof readRequest>[0]

/**
 * Time of the ack without the network: from the gateway's event to the answer, with the real verification, message and log lines,
 * and a `send` that keeps the message in memory.
 */
export const ackPart: Part = {
  title: 'Ack: handler time without network',
  measure: async ({ quick, print }) => {
    const folder = mkdtempSync(join(tmpdir(), 'backstop-bench-'))
    const count = quick ? 200 : 1000
    try {
      const rows: (string | number)[][] = [['channel', 'signature', 'callbacks', 'p50 ms', 'p99 ms', 'most ms']]
      const figures: Figure[] = []
      for (const account of shopAccounts()) {
        const signer = await openSigner(folder, account)
        const rounds: (readonly number[])[] = []
        for (let round = 0; round < ROUNDS; round++) rounds.push(await timeAcks(signer, count))
        const times = rounds.toSorted((a, b) => quantile(a, 0.99) - quantile(b, 0.99))[0] ?? []
        const isRsa = RSA_KINDS.has(account.kind)
        const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
        rows.push([
          account.id,
          isRsa ? 'RSA' : 'HMAC',
          count,
          p50.toFixed(3),
          p99.toFixed(3),
          Math.max(...times).toFixed(2),
        ])
        figures.push({ name: `ack ${account.id}, p50`, value: round(p50, 3), unit: 'ms' })
        const atMost = isRsa ? RSA_MS : HMAC_MS
        figures.push({ name: `ack ${account.id}, p99`, value: round(p99, 3), unit: 'ms', atMost })
      }
      for (const line of layOut(rows)) print(line)
      return { figures }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function timeAcks(signer: Signer, count: number): Promise<readonly number[]> {
  const channel = toIngressChannel(signer)
  const events = Array.from({ length: WARM_UP + count }, (_, index) => toEvent(signer, index))
  const queue: string[] = []
  const send = async (message: string): Promise<string> => {
    queue.push(message)
    return MESSAGE_ID
  }
  const times: number[] = []
  const restore = muteOutput()
  try {
    for (const event of events) {
      const startedAt = performance.now()
      const request = readRequest(event)
      if (request === 'tooLarge') throw new Error('A notice of a simulator is too large.')
      const answer = await receiveCallback(request, channel, send, instantOf(Date.now()))
      times.push(performance.now() - startedAt)
      if (answer.status !== channel.ack.status) throw new Error(`A genuine notice was answered ${answer.status}.`)
    }
  } finally {
    restore()
  }
  if (queue.length !== events.length) throw new Error(`Of ${events.length} notices ${queue.length} were queued.`)
  return times.slice(WARM_UP)
}

function toIngressChannel({ account, secret }: Signer): IngressChannel {
  const { ack, refusal, openKeys } = verifierOf(account)
  const verify: Verify = openKeys(secret)
  return {
    account,
    ack,
    refusal,
    verify: async (request, receivedAt) => verify(request, receivedAt),
    verifyAfresh: async () => undefined,
  }
}

/** As API Gateway hands it over: JSON as text, a form as base64. */
function toEvent(signer: Signer, index: number): Event {
  const { headers, body } = signer.sign(
    { outTradeNo: `SO${index}`.padEnd(12, '0'), amount: 8800 },
    index + 1,
    Date.now(),
  )
  const isJson = headers['content-type']?.startsWith('application/json') === true
  const bytes = Buffer.from(body)
  return { headers: { ...headers }, body: bytes.toString(isJson ? 'utf8' : 'base64'), isBase64Encoded: !isJson }
}
