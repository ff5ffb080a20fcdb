import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')
/** The folders of the repository that hold what somebody wrote. */
export const TOPS = ['functions', 'modules', 'infra', 'local', 'ops', 'bench', 'clients', 'test', 'examples', 'docs']

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Paths under one folder, from the root of the repository. */
export function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((path) => !path.includes('node_modules'))
}

export const files = TOPS.flatMap(filesUnder)
export const sources = files.filter((path) => /\.(?:ts|mjs)$/.test(path))
export const documents = [
  ...files.filter((path) => path.endsWith('.md')),
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
]

export interface Comment {
  readonly path: string
  readonly line: number
  /** Its lines without marks, joined by blanks. */
  readonly text: string
  /** As they stand in the file. */
  readonly lines: readonly string[]
}

const BLOCK = /^[ \t]*\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*(?:\n|$))+/gm

/** The comments of a source that have their lines to themselves; following `//` lines are one. */
export function commentsOf(path: string): readonly Comment[] {
  const source = read(path)
  return [...source.matchAll(BLOCK)].map(({ 0: block, index }) => {
    const lines = block.split('\n').filter((line) => line.trim() !== '')
    return { path, line: source.slice(0, index).split('\n').length, text: lines.map(withoutMarks).join(' '), lines }
  })
}

const withoutMarks = (line: string): string =>
  line
    .replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/)/, '')
    .replace(/\*\/\s*$/, '')
    .trim()
