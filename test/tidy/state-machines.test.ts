import validate from 'asl-validator'
import { expect, it } from 'vitest'
import { definitionOf, machines } from '../state-machines/case-file.ts'

it.each(machines)('%s is valid Amazon States Language', (machine) => {
  const { isValid, errorsText } = validate(JSON.parse(definitionOf(machine)))

  expect(isValid, errorsText('\n')).toBe(true)
})
