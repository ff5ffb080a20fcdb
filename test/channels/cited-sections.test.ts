import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const CITATION = /docs\/channels\/([\w-]+\.md)(?:, ([A-Z][^.\n*)]*?))?(?= \*\/|[.)\n])/g

const sources = readdirSync(join(ROOT, 'modules/channels'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
)

/** What one file cites: page and section. */
function citationsOf(path: string): readonly (readonly [page: string, section: string | undefined])[] {
  const text = readFileSync(join(ROOT, 'modules/channels', path), 'utf8')
  return [...text.matchAll(CITATION)].map(([, page = '', section]) => [page, section] as const)
}

function headingsOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs/channels', page), 'utf8')
  return [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading)
}

it('every page and section that the channels cite is there', () => {
  const cited = sources.flatMap((path) => citationsOf(path).map((citation) => [path, ...citation] as const))

  expect(cited.length).toBeGreaterThan(50)
  for (const [path, page, section] of cited) {
    const headings = headingsOf(page)
    // "Trade states and Result codes of query" are two; a heading of its own may hold an "and".
    const names = section === undefined || headings.includes(section) ? [] : section.split(' and ')
    for (const name of names) expect(headings, `${path} cites ${page}, ${section}`).toContain(name)
  }
})

it('no comment of a channel cites what is not in this repository or at the provider', () => {
  for (const path of sources) {
    const text = readFileSync(join(ROOT, 'modules/channels', path), 'utf8')
    expect(text.match(/(?<![\w/-])(?:channels|design|cases)\.md|\(C\d{3}\)/g), path).toBeNull()
  }
})
