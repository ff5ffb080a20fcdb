import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tidyCode } from '../../modules/codes/tidy-code.ts'

const AROUND = [
  '\ufeff',
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '\u00a0',
  '\u3000',
  '\u200b',
  '\u2060',
  '\u200e',
  '\0',
  '\u0085',
  '\u2028',
]

describe('what a file leaves around a code', () => {
  it.each(AROUND)('%j is taken off before and after it', (mark) => {
    for (const raw of [`${mark}A-1`, `A-1${mark}`, `${mark}${mark}A-1${mark}`]) {
      expect(tidyCode(raw)).toEqual({ kind: 'code', text: 'A-1' })
    }
  })

  it.each(['', ' ', '\r', '\ufeff\r\n', '\u200b'])('%j alone is no code', (raw) => {
    expect(tidyCode(raw)).toEqual({ kind: 'refused', problem: 'is empty' })
  })
})

describe('what stands inside a code', () => {
  it.each(['A 1', 'A  1', 'A\u00a01', '12 34-56', '卡密 一'])('stays when it can be seen: %j', (raw) => {
    expect(tidyCode(raw)).toEqual({ kind: 'code', text: raw })
  })

  it.each(['A\r1', 'A\n1', 'A\t1', 'A\x001', 'A\u200b1', 'A\ufeff1', 'A\u202e1', 'A\u00ad1', 'A\ud8001', 'A\u20281'])(
    'is refused when it cannot: %j',
    (raw) => {
      const tidied = tidyCode(raw)

      expect(tidied).toMatchObject({ kind: 'refused' })
      expect(JSON.stringify(tidied)).not.toContain('A')
    },
  )
})

it('a code is one code whatever stands around it, and is tidied once', () => {
  const around = fc.array(fc.constantFrom(...AROUND)).map((marks) => marks.join(''))
  fc.assert(
    fc.property(around, fc.string({ unit: 'binary' }), around, (before, raw, after) => {
      const tidied = tidyCode(raw)
      expect(tidyCode(`${before}${raw}${after}`)).toEqual(tidied)
      if (tidied.kind === 'code') expect(tidyCode(tidied.text)).toEqual(tidied)
    }),
  )
})
