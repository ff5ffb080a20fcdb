import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeSpansOf, rowsUnder } from '../support/documented-words.ts'
import { CHANNELS } from './words/channels.ts'
import { notYet } from './words/not-yet.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures')

describe.each(CHANNELS)('%s', (channel, words) => {
  const folder = join(FIXTURES, channel, 'samples')
  const rows = rowsUnder(`test/fixtures/${channel}/samples/README.md`, '# Sample bodies').map(
    ([file = '', , means = '', source = '']) => ({ file: unmarked(file), means: unmarked(means), source }),
  )

  it('each sample body stands in its page with a public source', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

    expect(files.length).toBeGreaterThanOrEqual(5)
    expect(rows.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
    for (const { file, source } of rows) expect(source, file).toMatch(/\]\(https:\/\/[^)]+\)/)
  })

  it('each sample body is read as its page says, but for what is not yet', async () => {
    const texts = rows.map(({ file }) => readFileSync(join(folder, file), 'utf8'))

    const read = await Promise.all(texts.map((text) => words.sample(text)))
    const differing = rows.flatMap(({ file, means }, index) =>
      read[index]?.split(': ')[0] === means ? [] : [{ file, documented: means, read: read[index] }],
    )

    const names = differing.map(({ file }) => file).toSorted()
    expect(names, JSON.stringify(differing, null, 2)).toEqual(notYet(channel, 'samples').toSorted())
  })
})

function unmarked(cell: string): string {
  return codeSpansOf(cell).join(' ')
}
