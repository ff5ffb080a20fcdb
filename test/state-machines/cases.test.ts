import { describe, expect, it } from 'vitest'
import { readMachine } from '../../local/engines/step-functions/definition/read-machine.ts'
import { casesOf, definitionOf, machines } from './case-file.ts'
import { edgesOf, edgesTaken } from './edges.ts'
import { type Outcome, runCase } from './run-case.ts'

describe.each(machines)('%s', (machine) => {
  const outcomes: Outcome[] = []

  it.each(casesOf(machine))('ends as its case says: $name', async ({ test }) => {
    const outcome = await runCase(machine, definitionOf(machine), test)
    outcomes.push(outcome)

    expect(outcome).toMatchObject(test.expect)
    expect(outcome.unused).toEqual({})
  })

  it('has a case for every state, every retrier and every catcher', () => {
    const definition = readMachine(definitionOf(machine))
    const taken = new Set(outcomes.flatMap(({ events }) => edgesTaken(definition, events)))

    expect(edgesOf(definition).filter((edge) => !taken.has(edge))).toEqual([])
  })
})
