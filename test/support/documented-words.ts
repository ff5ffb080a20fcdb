import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** One code of a provider's page: what it is called, under which condition, and the word for what we do with it. */
export interface DocumentedWord {
  readonly code: string
  /** What else must hold; empty: always. */
  readonly when: string
  readonly means: string
  /** Form and state of money that went back, as the note begins: `one pending`; empty where it says none. */
  readonly undo: string
}

/** The cells of each table row under a heading, header and rule left out; several tables are read as one. */
export function rowsUnder(page: string, heading: string): readonly (readonly string[])[] {
  const text = readFileSync(resolve(ROOT, page), 'utf8')
  const section = text.split(/^(?=#{2,3} )/m).find((part) => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${page} has no section '${heading}'`)
  return section
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) => line.split('|').slice(1, -1).map(withoutBlanks))
}

/** Reads the table `Code, When, Means, Note` of a page, one entry for each code. */
export function documentedWords(page: string, heading: string): readonly DocumentedWord[] {
  return rowsUnder(page, heading).flatMap(([codes = '', when = '', means = '', note = '']) =>
    codeSpansOf(codes).map((code) => ({
      code,
      when: when.replaceAll('`', ''),
      means: codeSpansOf(means).join(' '),
      undo: undoIn(note),
    })),
  )
}

const UNDO = /^(one|sum|all|amountUnknown)(?:, (pending|done|failed|reversed))?(?![\w-])/

function undoIn(note: string): string {
  const [, form, state] = UNDO.exec(note) ?? []
  return [form, state].filter((part) => part !== undefined).join(' ')
}

/** How a row is named in lists and failures: `TRADE_CLOSED (with send_pay_date)`. */
export function nameOf({ code, when }: DocumentedWord): string {
  return when === '' ? code : `${code} (${when})`
}

export function codeSpansOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

const isRule = (line: string): boolean => /^\|( *-+ *\|)+$/.test(line)
const withoutBlanks = (cell: string): string => cell.trim()
