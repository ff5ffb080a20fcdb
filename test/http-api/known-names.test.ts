import { expect, it } from 'vitest'
import { z } from 'zod'
import { knownNames } from '../../modules/http-api/known-names.ts'
import type { ProblemError } from '../../modules/http-api/problem.ts'
import { readInput } from '../../modules/http-api/read-input.ts'
import { readJson } from '../../modules/http-api/read-json.ts'

const CODE = 'CARD-7GHJ-K2LM'
const schema = z.object({
  lines: z.array(z.object({ sku: z.string() })).optional(),
  money: z.union([z.object({ amount: z.int() }), z.object({ free: z.literal(true) })]).default({ free: true }),
  attributes: z.record(z.string(), z.string()).nullable(),
})
const names = () => knownNames(schema)

function refusalOf(run: () => unknown): ProblemError {
  try {
    run()
  } catch (error) {
    return error as ProblemError
  }
  throw new Error('It was not refused.')
}

it('the names of a schema are those of all its objects', () => {
  expect([...names()].sort()).toEqual(['amount', 'attributes', 'free', 'lines', 'money', 'sku'])
})

it.each([
  [`{"lines":1,"lines":2}`, 'lines'],
  [`{"attributes":{"${CODE}":"a","${CODE}":"b"}}`, '*'],
  [`{"${CODE}":1,"${CODE}":2}`, '*'],
])('a name that stands twice is said again only if the schema knows it: %s', (body, field) => {
  const refusal = refusalOf(() => readJson(body, false, { names }))

  expect(refusal.fields).toEqual([{ field, problem: 'is given twice' }])
  expect(refusal.message).not.toContain(CODE)
})

it('the path to a wrong value says no name of the caller’s own', () => {
  const refusal = refusalOf(() => readInput(schema, { attributes: { [CODE]: 1 }, lines: [{ sku: 2 }] }))

  expect(refusal.fields.map(({ field }) => field)).toEqual(['lines[0].sku', 'attributes.*'])
  expect(refusal.message).not.toContain(CODE)
})
