import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

/** Shapes of the code that no linter holds. */
const ROOT = resolve(import.meta.dirname, '../..')
const MOST_PARAMETERS = 4

function sourcesUnder(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
}

const sources = ['modules', 'functions'].flatMap(sourcesUnder)
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Heads of functions: declarations, methods of classes, and arrows that have a name. */
const HEAD =
  /(?:\bfunction\*?\s+([\w$]+)\s*(?:<[^(]*>)?|^ {2}(?:(?:static|async|private|override)\s+)*(constructor|[\w$]+)|\b(?:const|readonly)\s+([\w$]+)(?::[^=\n]*)?\s*=\s*(?:async\s*)?(?:<[^(]*>)?)\((?=[^)]*)/gm

/** How many parameters stand between a bracket and the one that closes it. */
function countParameters(source: string, start: number): number {
  let depth = 0
  let commas = 0
  let last = ''
  for (let at = start; at < source.length; at++) {
    const character = source[at] ?? ''
    const isArrow = character === '>' && source[at - 1] === '='
    if ('([{<'.includes(character)) depth++
    if (')]}>'.includes(character) && !isArrow && depth-- === 0) break
    if (character === ',' && depth === 0) commas++
    if (/\S/.test(character)) last = character
  }
  if (last === '') return 0
  return last === ',' ? commas : commas + 1
}

it('no function has more than four positional parameters', () => {
  const long = sources.flatMap((file) => {
    const source = read(file)
    return [...source.matchAll(HEAD)]
      .map((head) => ({
        name: head[1] ?? head[2] ?? head[3],
        count: countParameters(source, head.index + head[0].length),
      }))
      .filter(({ count }) => count > MOST_PARAMETERS)
      .map(({ name, count }) => `${file}: ${name} has ${count}`)
  })

  expect(long).toEqual([])
})

it('only the makers of the ledger make writes: nothing else imports what they are made of', () => {
  const makers = new Set(['modules/ledger/table/writes.ts', 'modules/ledger/table/move-row.ts'])
  const others = sources.filter(
    (file) => !makers.has(file) && /import \{[^}]*\bmake(Put|Update|Bare)\b[^}]*\}/.test(read(file)),
  )

  expect(others).toEqual([])
})

it('a state is moved by one function for each type of row that has a machine', () => {
  const movers = sources.filter((file) => /\bmoveRow\(\s*\w+Machine/.test(read(file)))

  expect(movers.toSorted()).toEqual([
    'modules/ledger/order/change-order.ts',
    'modules/ledger/order/move-line.ts',
    'modules/ledger/pay-attempt/move-pay-attempt.ts',
    'modules/ledger/refund/move-refund.ts',
    'modules/ledger/task/move-task.ts',
  ])
})

it('every query of the ledger is checked before it is sent', () => {
  const sent = /(?:new QueryCommand\(|paginateQuery\(\s*\{ client: ledger\.client \},)(?!\s*checkedQuery)/
  const unchecked = sources.filter((file) => file.startsWith('modules/ledger/') && sent.test(read(file)))

  expect(unchecked).toEqual([])
})
