import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * What each part of the house may import beside itself. A part that is not listed fails, and so does a permission that nothing
 * uses: the table says what is, not what might be. Source: docs/adr/0017-a-house-with-walls.md
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  'modules/core': [],
  'modules/outgoing': ['modules/core'],
  'modules/channels': ['modules/core', 'modules/outgoing'],
  'modules/runtime': ['modules/core'],
  'modules/raw-store': ['modules/core'],
  'modules/ledger': ['modules/core'],
  'modules/gate': ['modules/core', 'modules/runtime'],
  'modules/codes': ['modules/core', 'modules/ledger'],
  'modules/queues': ['modules/channels', 'modules/core'],
  'modules/booking': ['modules/channels', 'modules/core', 'modules/ledger', 'modules/raw-store', 'modules/runtime'],
  'modules/http-api': ['modules/channels', 'modules/core', 'modules/ledger', 'modules/runtime'],
  'functions/*': ['modules/*'],
  infra: ['functions/*', 'modules/channels', 'modules/core', 'modules/http-api', 'modules/runtime'],
  ops: [
    'functions/publish',
    'infra',
    'modules/channels',
    'modules/core',
    'modules/gate',
    'modules/ledger',
    'modules/outgoing',
    'modules/queues',
  ],
  clients: ['functions/orders', 'modules/http-api'],
  examples: ['clients'],
  'local/engines': ['local/host'],
  'local/host': ['local/engines'],
  'local/world': ['infra', 'local/host', 'modules/channels', 'modules/core', 'modules/gate', 'modules/ledger'],
  local: ['local/host', 'local/world', 'ops'],
  bench: ['functions/*', 'infra', 'local/engines', 'local/host', 'local/world', 'modules/*'],
}

/** Packages that only some parts may import; what is not named here is open to all but the core. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-dynamodb': ['modules/ledger', 'modules/gate', 'ops', 'local', 'bench'],
  '@aws-sdk/lib-dynamodb': ['modules/ledger', 'modules/gate', 'ops', 'local', 'bench'],
  '@aws-sdk/util-dynamodb': [
    'modules/ledger',
    'modules/gate',
    'functions/dispatch',
    'functions/publish',
    'local',
    'bench',
  ],
}

interface Import {
  readonly from: string
  readonly file: string
  readonly specifier: string
}

const parts = Object.keys(layers)
const folders = [...new Set(parts.map((part) => part.split('/')[0] ?? part))]
const imports = folders.flatMap((folder) => sourcesUnder(folder)).flatMap((file) => importsOf(file))
const inside = imports.filter(({ specifier }) => specifier.startsWith('.'))

function sourcesUnder(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((path) => !path.includes('node_modules'))
}

function importsOf(file: string): readonly Import[] {
  const specifiers = readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)
  return [...specifiers].map(([, specifier = '']) => ({ from: partOf(file), file, specifier }))
}

/** `modules/core/gate/row.ts` is in `modules/core`, `local/start.ts` in `local`. */
function partOf(file: string): string {
  const [top = '', second = '', third] = file.split('/')
  const isDivided = top === 'modules' || top === 'functions' || top === 'local'
  return isDivided && third !== undefined ? `${top}/${second}` : top
}

const mayImport = (from: string): readonly string[] => layers[from] ?? layers[`${from.split('/')[0]}/*`] ?? []
const fits = (part: string, allowed: string): boolean =>
  allowed.endsWith('/*') ? part.startsWith(allowed.slice(0, -1)) : part === allowed
const targetOf = ({ file, specifier }: Import): string => partOf(normalize(join(dirname(file), specifier)))

it('a part imports only what the table of layers gives it', () => {
  const wrong = inside
    .filter((one) => targetOf(one) !== one.from)
    .filter((one) => !mayImport(one.from).some((allowed) => fits(targetOf(one), allowed)))
    .map(({ file, specifier }) => `${file} imports ${specifier}`)

  expect(wrong).toEqual([])
})

it('the table of layers permits nothing that no part uses', () => {
  const unused = Object.entries(layers).flatMap(([part, allowed]) =>
    allowed.filter((one) => !inside.some((each) => fits(each.from, part) && fits(targetOf(each), one))),
  )

  expect(unused).toEqual([])
})

it('the core imports nothing but itself', () => {
  const outside = imports.filter(({ from, specifier }) => from === 'modules/core' && !specifier.startsWith('.'))

  expect(outside).toEqual([])
})

it('only the parts that own it import a guarded package', () => {
  const wrong = imports.filter(({ from, specifier }) => {
    const owners = guarded[specifier]
    return owners !== undefined && !owners.some((owner) => from === owner || from.startsWith(`${owner}/`))
  })

  expect(wrong).toEqual([])
})
