import { afterEach, expect, it, vi } from 'vitest'
import type { FunctionSettings } from '../../infra/function-settings.ts'
import { json, list, readSettings, text } from '../../modules/runtime/settings.ts'

afterEach(() => vi.unstubAllEnvs())

type Environment<Folder extends keyof FunctionSettings> = Readonly<Record<FunctionSettings[Folder], string>>

it('a construct that leaves a setting out, or gives one that nobody reads, does not compile', () => {
  // @ts-expect-error BUS_NAME is missing
  const poor: Environment<'publish'> = { LEDGER_TABLE: 'ledger' }
  // @ts-expect-error nobody reads GATES
  const rich: Environment<'publish'> = { LEDGER_TABLE: 'ledger', BUS_NAME: 'bus', GATES: '{}' }

  expect([poor, rich]).toHaveLength(2)
})

it('a handler reads what its schema names, each as its own type', () => {
  vi.stubEnv('TABLE', 'ledger')
  vi.stubEnv('MINUTES', '15')
  const settings = readSettings({ TABLE: text, MINUTES: json<number>(), ORIGINS: list })

  const minutes: number = settings.MINUTES
  // @ts-expect-error not in the schema
  const other = settings.TABEL

  expect([settings.TABLE, minutes, settings.ORIGINS, other]).toEqual(['ledger', 15, [], undefined])
})

it('a setting that is missing or no JSON fails the start by its name', () => {
  vi.stubEnv('MINUTES', '{')

  expect(() => readSettings({ TABLE: text })).toThrow('TABLE is missing')
  expect(() => readSettings({ MINUTES: json<number>() })).toThrow('MINUTES is no JSON')
  expect(() => readSettings({ OTHER: json<number>() })).toThrow('OTHER is missing')
})
