import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SecretsManager } from '../../../../local/engines/secrets-manager/open-secrets-manager.ts'
import { type HostState, openHostState } from '../../../../local/host/runtime/host-state.ts'
import { generateSecret, provisionSecrets } from '../../../../local/host/runtime/provision-secrets.ts'
import type { SecretSpec } from '../../../../local/host/template/read-secrets.ts'

let dir: string
let state: HostState
let written: [string, string][]
const secretsManager: SecretsManager = {
  create: (name) => `arn:${name}`,
  put: (name, value) => {
    written.push([name, value])
    return `arn:${name}`
  },
  handle: async () => {},
  nextDueAt: () => undefined,
  close: () => {},
}
const provision = (secrets: SecretSpec[], values: [string, string][] = []) =>
  provisionSecrets({ secrets, values: new Map(values), secretsManager, state })
const rules = { PasswordLength: 40, ExcludePunctuation: true, ExcludeCharacters: 'abc' }

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backstop-secrets-'))
  state = openHostState(join(dir, 'host.sqlite'))
  written = []
})
afterEach(() => {
  state.close()
  rmSync(dir, { recursive: true })
})

describe('a secret of the template', () => {
  it('stays empty when nobody gives a value', () => {
    provision([{ logicalId: 'A', name: 'a' }])

    expect(written).toEqual([])
  })

  it("has the caller's value, written anew only when that changes", () => {
    const secret = { logicalId: 'A', name: 'a', value: 'from the template' }
    provision([secret], [['a', 'one']])
    provision([secret], [['a', 'one']])
    provision([secret], [['a', 'two']])

    expect(written).toEqual([
      ['a', 'one'],
      ['a', 'two'],
    ])
  })

  it('is generated once, and the same after a restart', () => {
    provision([{ logicalId: 'A', name: 'a', generate: rules }])
    state.close()
    state = openHostState(join(dir, 'host.sqlite'))
    provision([{ logicalId: 'A', name: 'a', generate: rules }])

    expect(written).toHaveLength(1)
    expect(written[0]?.[1]).toMatch(/^[A-Zd-z0-9]{40}$/)
  })

  it('is generated into a template when the rules have one', () => {
    const text = generateSecret({ ...rules, SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'password' })

    expect(JSON.parse(text)).toEqual({ user: 'me', password: expect.stringMatching(/^.{40}$/) })
  })
})
