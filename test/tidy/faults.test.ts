import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, read } from './comments.ts'

/** docs/faults.md: above are the faults that a test shows mended, below those that are known. */
const [mended = '', known = ''] = read('docs/faults.md').split(/^## Known and not mended yet$/m)

/** The rows of all tables, without heads. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^\|(.+)\|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
    .filter(([first = '']) => !/^-+$/.test(first) && !['id', 'what goes wrong'].includes(first))
}

const testsIn = (cell: string): readonly string[] => cell.match(/test\/[\w/-]+\.test\.ts/g) ?? []

it('each fault that is mended names a test that is there', () => {
  const rows = rowsOf(mended)

  expect(rows.length).toBeGreaterThan(60)
  for (const row of rows) {
    const tests = testsIn(row.at(-1) ?? '')
    expect(row, row[0]).toHaveLength(4)
    expect(tests.length, row[0]).toBeGreaterThan(0)
    for (const test of tests) expect(existsSync(join(ROOT, test)), `${row[0]}: ${test}`).toBe(true)
  }
})

it('each fault that is known has a name of its own and says that its test is to come', () => {
  const rows = rowsOf(known)
  const ids = rows.map(([id = '']) => id)

  expect(ids.filter((id) => !/^`[a-z0-9]+(?:-[a-z0-9]+)*`$/.test(id))).toEqual([])
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  for (const row of rows) expect(row.at(-1), row[0]).toMatch(/^to come$|^`test\/[\w/-]+\.test\.ts`/)
})
