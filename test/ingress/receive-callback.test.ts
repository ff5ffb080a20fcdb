import { afterEach, expect, it, vi } from 'vitest'
import { type IngressChannel, receiveCallback } from '../../functions/ingress/receive-callback.ts'
import { proveVerified, type Verification } from '../../modules/channels/channel.ts'
import { BANK, bankAccount, START } from '../support/world-bank.ts'

afterEach(() => vi.restoreAllMocks())

const request = { headers: {}, body: Buffer.from('{}') }
const good: Verification = {
  ok: true,
  verified: proveVerified({ channel: BANK, receivedAt: START, keyId: 'k', headers: {}, body: request.body }),
}

function aChannelThat(change: Partial<IngressChannel> = {}): IngressChannel {
  return {
    account: bankAccount,
    ack: { status: 200, headers: {}, body: 'ok' },
    refusal: { status: 400, headers: {}, body: 'no' },
    verify: async () => good,
    verifyAfresh: async () => undefined,
    ...change,
  }
}

it('the acknowledgement is given only when the queue has said that it has the message', async () => {
  const queue = Promise.withResolvers<string>()
  let answered = false
  const answer = receiveCallback(request, aChannelThat(), () => queue.promise, START).then((result) => {
    answered = true
    return result
  })
  await new Promise((resolve) => setImmediate(resolve))
  const early = answered

  queue.resolve('message-1')

  expect(await answer).toEqual({ status: 200, headers: {}, body: 'ok' })
  expect(early).toBe(false)
})

it('the one line of an accepted callback names the message, by which the line of its settling is found', async () => {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })

  await receiveCallback(request, aChannelThat(), async () => 'message-1', START)

  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { channel: BANK, CallbackAccepted: 1, messageId: 'message-1' },
  ])
})

it.each(['bad-signature', 'unknown-key', 'undecryptable'] as const)(
  "'%s' is tried once more with fresh keys",
  async (reason) => {
    const sent: unknown[] = []
    const channel = aChannelThat({ verify: async () => ({ ok: false, reason }), verifyAfresh: async () => good })

    const answer = await receiveCallback(request, channel, async (message) => void sent.push(message), START)

    expect(answer.body).toBe('ok')
    expect(sent).toHaveLength(1)
  },
)

it.each(['missing-header', 'malformed', 'not-allowed', 'out-of-tolerance', 'not-ours'] as const)(
  "'%s' asks for no fresh keys",
  async (reason) => {
    let asked = 0
    const channel = aChannelThat({
      verify: async () => ({ ok: false, reason }),
      verifyAfresh: async () => {
        asked++
        return good
      },
    })

    const answer = await receiveCallback(request, channel, async () => {}, START)

    expect([answer.body, asked]).toEqual(['no', 0])
  },
)

it('a probe is refused, without a second look at the keys', async () => {
  let asked = 0
  const channel = aChannelThat({
    verify: async () => ({ ok: false, reason: 'bad-signature', probe: true }),
    verifyAfresh: async () => {
      asked++
      return good
    },
  })

  const answer = await receiveCallback(request, channel, async () => {}, START)

  expect([answer.body, asked]).toEqual(['no', 0])
})

it('what throws is 503 and nothing is queued', async () => {
  let sent = 0
  const channel = aChannelThat({ verify: async () => Promise.reject(new Error('no keys')) })

  const answer = await receiveCallback(request, channel, async () => void sent++, START)

  expect([answer.status, sent]).toEqual([503, 0])
})
