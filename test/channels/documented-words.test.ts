import { describe, expect, it } from 'vitest'
import { codeSpansOf, type DocumentedWord, documentedWords, nameOf, rowsUnder } from '../support/documented-words.ts'
import { CHANNELS } from './words/channels.ts'
import { notYet, notYetLines } from './words/not-yet.ts'

const SECTIONS = [
  { heading: 'Event types', vocabulary: '### Words for events', reading: 'event' },
  { heading: 'Trade states', vocabulary: '### Words for states', reading: 'state' },
  { heading: 'Result codes of query', vocabulary: '### Words for result codes', reading: 'query' },
  { heading: 'Result codes of close', vocabulary: '### Words for result codes', reading: 'close' },
] as const

describe.each(CHANNELS)('%s', (channel, words) => {
  it.each(SECTIONS)('$heading: the code does what each row says, but for what is not yet', async (section) => {
    const rows = documentedWords(`docs/channels/${channel}.md`, `## ${section.heading}`)
    const listed = notYet(channel, section.heading)

    const read = await Promise.all(rows.map((row) => words[section.reading](row.code, row.when)))
    const differing = rows.flatMap((row, index) => (agrees(row, read[index] ?? '') ? [] : [told(row, read[index])]))

    expect(differing.map(({ name }) => name).toSorted(), JSON.stringify(differing, null, 2)).toEqual(listed.toSorted())
  })

  it.each(SECTIONS)('$heading: each row has one word of the vocabulary, and no two rows are one', (section) => {
    const rows = documentedWords(`docs/channels/${channel}.md`, `## ${section.heading}`)
    const known = rowsUnder('docs/channels/README.md', section.vocabulary).flatMap(([word = '']) => codeSpansOf(word))

    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(known, nameOf(row)).toContain(row.means)
    expect(new Set(rows.map(nameOf)).size).toBe(rows.length)
  })
})

it('what is not yet stands under a channel and a section that are tried', () => {
  const sections: readonly string[] = [...SECTIONS.map(({ heading }) => heading), 'samples']

  for (const line of notYetLines) {
    expect(CHANNELS.map(([channel]) => channel)).toContain(line.channel)
    expect(sections).toContain(line.section)
  }
})

/** Where the page gives only the form of what went back, any state will do. */
function agrees({ means, undo }: DocumentedWord, read: string): boolean {
  const [word, readUndo = ''] = read.split(': ')
  return word === means && (undo === '' || readUndo === undo || readUndo.startsWith(`${undo} `))
}

function told(row: DocumentedWord, read: string | undefined) {
  return { name: nameOf(row), documented: `${row.means} ${row.undo}`.trim(), read }
}
