/** One change of one file. */
export interface Edit {
  /** From the project's folder. */
  readonly file: string
  /** What stands there today, however it is wrapped; it must be there exactly once. */
  readonly text: string
  readonly replacement: string
}

/** A fault put in on purpose: some test must fail of it. */
export interface Mutant {
  /** What is wrong now, as a sentence. */
  readonly name: string
  readonly edits: readonly Edit[]
  /** The test files that must notice it. */
  readonly tests: readonly string[]
}

/** The code moved on, and the list did not: the mutant is written anew, never left out in silence. */
export class MutantGoneError extends Error {
  override readonly name = 'MutantGoneError'
  readonly code = 'MUTANT_GONE'

  constructor(edit: Edit, found: number) {
    super(
      `${edit.file} has this ${found} times instead of once: ${edit.text}\nWrite the mutant anew from the code as it is.`,
    )
  }
}

/**
 * The source with the edit in it. White space, line breaks and commas before a closing bracket make no difference.
 * @throws MutantGoneError unless the text is there exactly once
 */
export function applyEdit(source: string, edit: Edit): string {
  const found = [...source.matchAll(patternOf(edit.text))]
  const [only] = found
  if (found.length !== 1 || only === undefined) throw new MutantGoneError(edit, found.length)
  return source.slice(0, only.index) + edit.replacement + source.slice(only.index + only[0].length)
}

function patternOf(text: string): RegExp {
  const tokens = text.match(/[\w$]+|[^\s\w$]/g) ?? []
  const parts = tokens.map((token, index) => {
    const escaped = token.replace(/[^\w]/g, '\\$&')
    const before = tokens[index - 1]
    if (before === undefined) return escaped
    const areWords = /[\w$]$/.test(before) && /^[\w$]/.test(token)
    // A formatter puts a comma before a bracket that closes on a line of its own, and takes it away again.
    const comma = /[)\]}]/.test(token) && before !== ',' ? ',?\\s*' : ''
    return `${areWords ? '\\s+' : '\\s*'}${comma}${escaped}`
  })
  return new RegExp(parts.join(''), 'g')
}
