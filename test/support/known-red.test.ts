import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { knownReds, red } from './known-red.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/faults.md'), 'utf8')
const open = page.slice(page.indexOf('## Known and not mended yet'))

it.each(Object.entries(knownReds))('%s may be broken only while %s is a fault that is not mended', (_rule, slug) => {
  expect(open).toContain(`\`${slug}\``)
})

it('a rule that is not known to be broken is told with its name', () => {
  expect(red('ANOTHER_RULE', 'it is broken')).toEqual(['ANOTHER_RULE: it is broken'])
})
