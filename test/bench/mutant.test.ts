import { describe, expect, it } from 'vitest'
import { applyEdit, type Edit, MutantGoneError } from '../../bench/mutate/mutant.ts'

const edit = (text: string, replacement = 'x'): Edit => ({ file: 'a.ts', text, replacement })

describe('the text of a mutant', () => {
  it.each([
    ['return a + b', 'return  a\n    + b'],
    ["if (a) return { kind: 'b' }", "if (a)\n  return {\n    kind: 'b',\n  }"],
    ['f(a, b)', 'f(\n  a,\n  b,\n)'],
    ['[a, b]', '[a,\n b,\n]'],
  ])('%j is found however it is wrapped', (text, source) => {
    expect(applyEdit(`before ${source} after`, edit(text))).toBe('before x after')
  })

  it.each([
    ['is gone', 'return b'],
    ['is there twice', 'return a; return a'],
    ['is a part of a longer name only', 'returna'],
  ])('that %s is refused', (_what, source) => {
    expect(() => applyEdit(source, edit('return a'))).toThrow(MutantGoneError)
  })
})
