import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commentsOf, documents, ROOT, read, sources, TOPS } from './comments.ts'

/** Every source cites what a stranger can open: a file of this repository, or a vendor's page. */
const comments = sources.flatMap(commentsOf)
const pathOf = new RegExp(`(?<![\\w./-])(?:${TOPS.join('|')})/[\\w./-]*\\w(?![\\w/]*[<*{…])`, 'g')

/** Names of scopes, and a file of a provider's own repository. */
const NO_FILES = new Set(['ops/read', 'ops/decide', 'ops/approve', 'test/Webhook.spec.ts'])
const pathsIn = (text: string): readonly string[] => (text.match(pathOf) ?? []).filter((path) => !NO_FILES.has(path))
const isThere = (path: string): boolean =>
  [path, `${path}.ts`, `${path}.md`].some((candidate) => existsSync(join(ROOT, candidate)))

it('every file that a comment names is in the repository', () => {
  const missing = comments.flatMap(({ path, line, text }) =>
    pathsIn(text)
      .filter((cited) => !isThere(cited))
      .map((cited) => `${path}:${line} names ${cited}`),
  )

  expect(missing).toEqual([])
})

/** Records of what was: they may name what has moved since. */
const isHistory = (path: string): boolean => path.startsWith('docs/adr/') || path === 'CHANGELOG.md'

it('every file that a document names is in the repository', () => {
  const missing = documents
    .filter((path) => !isHistory(path))
    .flatMap((path) =>
      pathsIn(read(path))
        .filter((cited) => !isThere(cited))
        .map((cited) => `${path} names ${cited}`),
    )

  expect(missing).toEqual([])
})

const SECTION = /(docs\/[\w/-]+\.md), ([A-Z`p][^.;)*]*)/g

function headingsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading)
}

it('every section that a comment names is in its page', () => {
  const cited = comments.flatMap(({ path, line, text }) =>
    [...text.matchAll(SECTION)].map(([, page = '', section = '']) => ({ at: `${path}:${line}`, page, section })),
  )

  expect(cited.length).toBeGreaterThan(50)
  for (const { at, page, section } of cited.filter(({ page }) => isThere(page))) {
    const headings = headingsOf(page)
    // "Query and Close" are two headings; "Decision table, row 3" is one and a place in it.
    const isNamed = headings.some((heading) => section.startsWith(heading))
    expect(isNamed, `${at} names ${page}, ${section}`).toBe(true)
  }
})

it('no comment and no title names a paper that is not here', () => {
  // Put together, so that this file does not hold them itself.
  const papers = ['design', 'cases', 'channels', 'field', 'aws-facts', 'style', 'reconcile'].join('|')
  const elsewhere = new RegExp(
    `(?<![\\w/-])(?:${papers})\\.md\\b|\\((?:cases? )?[CF]\\d{2,3}\\b|\\bcases? [CF]\\d`,
    'g',
  )
  const wrong = sources.flatMap((path) => (read(path).match(elsewhere) ?? []).map((cited) => `${path} names ${cited}`))

  expect(wrong).toEqual([])
})
