import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSecretCache } from '../../../modules/runtime/secrets/secret-cache.ts'
import {
  KEEP_MS,
  openSecretTexts,
  REFETCH_MS,
  SecretMissingError,
} from '../../../modules/runtime/secrets/secret-texts.ts'

const secrets = mockClient(SecretsManagerClient)
let nowMs = 1_000_000
beforeEach(() => {
  nowMs = 1_000_000
  secrets.rejects(new Error('an unexpected call'))
  holds('one')
})
afterEach(() => {
  secrets.reset()
  vi.restoreAllMocks()
})

const holds = (SecretString: string) => secrets.on(GetSecretValueCommand).resolves({ SecretString })
const refuses = (name = 'AccessDeniedException') =>
  secrets.on(GetSecretValueCommand).rejects(Object.assign(new Error(name), { name }))
const calls = () => secrets.commandCalls(GetSecretValueCommand).length
const read = (_id: string, text: string) => {
  if (text === 'odd') throw new RangeError('not of its form')
  return { text }
}
const openTexts = () => openSecretTexts(new SecretsManagerClient({ region: 'us-east-1' }), () => nowMs)
const open = (texts = openTexts()) => openSecretCache(texts, { bank: 'arn:bank' }, read, () => nowMs)

it('a secret is fetched once and kept five minutes', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += KEEP_MS - 1
  await cache.get('bank')
  const within = calls()
  nowMs += 1
  holds('two')

  expect(await cache.get('bank')).toEqual({ text: 'two' })
  expect([within, calls()]).toEqual([1, 2])
})

it('callers at the same moment share one call', async () => {
  const cache = open()

  const values = await Promise.all(Array.from({ length: 50 }, () => cache.get('bank')))

  expect(calls()).toBe(1)
  expect(new Set(values).size).toBe(1)
})

it('after a rotation a failed check fetches anew, and the new keys are those of all that follow', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += REFETCH_MS
  holds('two')

  expect(await cache.refetch('bank')).toEqual({ text: 'two' })
  expect(await cache.get('bank')).toEqual({ text: 'two' })
})

it('a failed check with keys that are younger than a minute asks nobody', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += REFETCH_MS - 1

  expect(await cache.refetch('bank')).toBeUndefined()
  expect(calls()).toBe(1)
})

it('the same text again is no new key', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += REFETCH_MS

  expect(await cache.refetch('bank')).toBeUndefined()
  expect(calls()).toBe(2)
})

it('while the service refuses, it is asked at most once a minute, however often a check fails', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += REFETCH_MS
  refuses()

  for (let second = 0; second < 120; second++) {
    await cache.refetch('bank').catch(() => undefined)
    nowMs += 1000
  }

  expect(calls()).toBe(3)
})

it('a secret that was never filled is asked for once a minute and fails closed in between', async () => {
  const cache = open()
  refuses('ResourceNotFoundException')

  for (let second = 0; second < 60; second++) {
    await expect(cache.get('bank')).rejects.toThrow(SecretMissingError)
    nowMs += 1000
  }
  await expect(cache.get('bank')).rejects.toThrow(SecretMissingError)

  expect(calls()).toBe(2)
})

it('old keys are better than none while the service does not answer', async () => {
  const cache = open()
  await cache.get('bank')
  nowMs += KEEP_MS
  refuses('TimeoutError')

  expect(await cache.get('bank')).toEqual({ text: 'one' })
  expect(await cache.get('bank')).toEqual({ text: 'one' })
  expect(calls()).toBe(2)
})

it.each([
  ['gone', () => refuses('ResourceNotFoundException')],
  ['marked for deletion', () => refuses('InvalidRequestException')],
  ['not given to us', () => refuses('AccessDeniedException')],
  ['emptied', () => holds('')],
  ['not of its form', () => holds('odd')],
])('a secret that is %s shuts what needs it within five minutes, and is counted once a minute', async (_, change) => {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
  const cache = open()
  await cache.get('bank')
  change()
  nowMs += KEEP_MS - 1
  const before = await cache.get('bank')
  nowMs += 1

  for (let second = 0; second < 90; second++) {
    await expect(cache.get('bank')).rejects.toThrow()
    nowMs += 1000
  }
  const counted = lines.filter((line) => line.includes('"SecretUnusable":1'))
  holds('two')
  nowMs += REFETCH_MS

  expect(before).toEqual({ text: 'one' })
  expect(counted).toHaveLength(2)
  expect(await cache.get('bank')).toEqual({ text: 'two' })
})

it('whoever reads the same secret shares its one fetch, and learns of the fetch of another', async () => {
  const texts = openTexts()
  const [one, other] = [open(texts), open(texts)]
  await Promise.all([one.get('bank'), other.get('bank')])
  nowMs += REFETCH_MS
  holds('two')
  await one.refetch('bank')

  expect(await other.refetch('bank')).toEqual({ text: 'two' })
  expect(calls()).toBe(2)
})

it.each(['', undefined])('a secret without text is missing', async (SecretString) => {
  secrets.on(GetSecretValueCommand).resolves(SecretString === undefined ? {} : { SecretString })

  await expect(open().get('bank')).rejects.toThrow(SecretMissingError)
})

it('an id that nobody configured is missing, and nobody is asked', async () => {
  await expect(open().get('other')).rejects.toThrow(SecretMissingError)
  expect(calls()).toBe(0)
})
