import { createPublicKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { refreshAccount } from '../../functions/certificates/refresh-account.ts'
import { readWechatpayKeys } from '../../modules/channels/wechatpay/keys.ts'
import type { HttpResult } from '../../modules/outgoing/http/send-request.ts'
import { answering } from '../channels/client-setup.ts'
import { aPlatform, listed, listSignedBy } from '../channels/wechatpay/listed-certificates.ts'
import { CLIENT_SECRET, PRIVATE_PEM, refusal } from '../channels/wechatpay/signed-answer.ts'
import { ACCOUNT, PUBLIC_PEM, SECRET, SERIAL } from '../channels/wechatpay/signed-notice.ts'

const OLD = aPlatform()
const NEW = aPlatform()
const OVER = aPlatform({ fromDays: -30, toDays: -1 })
const PUBLIC = { serial: SERIAL, privateKey: PRIVATE_PEM }

const secretWith = (platformKeys: object) => JSON.stringify({ ...JSON.parse(CLIENT_SECRET), platformKeys })

/** A secret in memory; each text of `edits` is what a person writes after a read. */
function aStore(text: string | undefined, ...edits: readonly string[]) {
  const written: string[] = []
  const left = [...edits]
  let current = text
  return {
    written,
    keys: () => Object.keys(JSON.parse(written.at(-1) ?? '{}').platformKeys ?? {}),
    read: async () => {
      const seen = current
      current = left.shift() ?? current
      return seen
    },
    write: async (next: string) => {
      written.push(next)
      current = next
    },
  }
}

const refresh = (store: ReturnType<typeof aStore>, ...answers: readonly HttpResult[]) =>
  refreshAccount(ACCOUNT, store, answering(...answers))

it('the first fetch fills a secret without a platform key, in the form that callbacks are checked with', async () => {
  const store = aStore(secretWith({}))

  const result = await refresh(store, listSignedBy(NEW, listed(NEW)))

  expect(result).toBe('written')
  expect([...readWechatpayKeys(store.written[0] ?? '').platformKeys.keys()]).toEqual([NEW.serial])
})

it('a change of certificate adds the new one and keeps the old one, the public key and all other fields', async () => {
  const before = secretWith({ [SERIAL]: PUBLIC_PEM, [OLD.serial]: OLD.pem })
  const store = aStore(before)

  const result = await refresh(store, listSignedBy(OLD, listed(OLD), listed(NEW)))

  expect(result).toBe('written')
  expect(JSON.parse(store.written[0] ?? '')).toEqual({
    ...JSON.parse(before),
    platformKeys: { [SERIAL]: PUBLIC_PEM, [OLD.serial]: OLD.pem, [NEW.serial]: NEW.pem },
  })
})

it('a valid certificate that is listed no more stays; one that is over goes', async () => {
  const store = aStore(secretWith({ [OLD.serial]: OLD.pem, [OVER.serial]: OVER.pem }))

  await refresh(store, listSignedBy(OLD, listed(NEW)))

  expect(store.keys()).toEqual([OLD.serial, NEW.serial])
})

it('one that is over goes also when nothing else is new', async () => {
  const store = aStore(secretWith({ [NEW.serial]: NEW.pem, [OVER.serial]: OVER.pem }))

  await refresh(store, listSignedBy(NEW, listed(NEW)))

  expect(store.keys()).toEqual([NEW.serial])
})

it('nothing is written when nothing is new, however a person wrote the same key', async () => {
  const bare = createPublicKey(NEW.privateKey).export({ format: 'der', type: 'spki' }).toString('base64')
  const unchanged = [NEW.pem, NEW.pem.replaceAll('\n', '\r\n'), bare]

  for (const text of unchanged) {
    const store = aStore(secretWith({ [NEW.serial]: text }))
    expect(await refresh(store, listSignedBy(NEW, listed(NEW)))).toBe('unchanged')
    expect(store.written).toEqual([])
  }
})

it('another key under the serial of a genuine certificate is replaced', async () => {
  const store = aStore(secretWith({ [SERIAL]: PUBLIC_PEM, [NEW.serial]: PUBLIC_PEM }))

  await refresh(store, listSignedBy(PUBLIC, listed(NEW)))

  expect(JSON.parse(store.written[0] ?? '').platformKeys[NEW.serial]).toBe(NEW.pem)
})

it('what a person writes during the fetch is not overwritten', async () => {
  const store = aStore(CLIENT_SECRET, CLIENT_SECRET.replace('ABC123', 'ABC124'))

  expect(await refresh(store, listSignedBy(PUBLIC, listed(NEW)))).toBe('edited meanwhile')
  expect(store.written).toEqual([])
})

it.each([
  ['that was never filled', undefined, [], 'empty'],
  ['without a merchant key', JSON.stringify(SECRET), [], 'no merchant key'],
  ['of the public key alone', CLIENT_SECRET, [refusal(404, 'RESOURCE_NOT_EXISTS')], 'none issued'],
] as const)('a secret %s is left alone', async (_what, text, answers, result) => {
  const store = aStore(text)

  expect(await refresh(store, ...answers)).toBe(result)
  expect(store.written).toEqual([])
})

it('a forged answer is an error with its code, and writes nothing', async () => {
  const store = aStore(CLIENT_SECRET)

  await expect(refresh(store, listSignedBy(OLD, listed(NEW)))).rejects.toMatchObject({ code: 'ANSWER_NOT_SIGNED' })
  expect(store.written).toEqual([])
})
