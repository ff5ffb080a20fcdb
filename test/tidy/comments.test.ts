import { expect, it } from 'vitest'
import { commentsOf, sources } from './comments.ts'

const MOST_COLUMNS = 140
const MOST_WORDS = 60

const comments = sources.flatMap(commentsOf)

it('no line of a comment is longer than a screen is wide', () => {
  const long = comments.flatMap(({ path, line, lines }) =>
    lines.flatMap((text, index) => (text.length > MOST_COLUMNS ? [`${path}:${line + index}`] : [])),
  )

  expect(long).toEqual([])
})

/** What is told, without parameters, results, errors and sources. */
const proseOf = (text: string): string => text.split(/(?:^| )(?:@\w|Source: )/)[0] ?? ''
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length

it('a comment tells what it tells in sixty words', () => {
  const long = comments
    // A handler's head has four facts: trigger, reads, writes, what happens on failure.
    .filter(({ text }) => !text.startsWith('Trigger: '))
    .map((comment) => ({ comment, words: wordsOf(proseOf(comment.text)) }))
    .filter(({ words }) => words > MOST_WORDS)
    .map(({ comment, words }) => `${comment.path}:${comment.line} has ${words}`)

  expect(long).toEqual([])
})
