import { expect, it } from 'vitest'
import { readMachine } from '../../../../local/engines/step-functions/definition/read-machine.ts'
import { aMachine, aTask } from './machines.ts'

const end = { Type: 'Succeed' }
const map = (more: object, states: object = { Each: aTask() }) => ({
  Type: 'Map',
  Items: '{% [1..3] %}',
  ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, StartAt: Object.keys(states)[0], States: states },
  End: true,
  ...more,
})

it.each([
  ['a Wait', { A: { Type: 'Wait', Seconds: 1, Next: 'B' }, B: end }, 'State A: the type Wait'],
  ['a Pass', { A: { Type: 'Pass', End: true } }, 'State A: the type Pass'],
  ['a Parallel', { A: { Type: 'Parallel', Branches: [], End: true } }, 'State A: the type Parallel'],
  ['a heartbeat', { A: aTask({ HeartbeatSeconds: 5 }) }, 'State A: HeartbeatSeconds is not run'],
  ['JSONPath', { A: aTask({ ResultPath: '$' }) }, 'State A: ResultPath is not run'],
  [
    'another service',
    { A: aTask({ Resource: 'arn:aws:states:::sqs:sendMessage' }) },
    'State A: Resource: must be lambda',
  ],
  ['a computed time-out', { A: aTask({ TimeoutSeconds: '{% 5 %}' }) }, 'State A: TimeoutSeconds:'],
  ['an argument of Invoke', { A: aTask({ Arguments: { FunctionName: 'f', Qualifier: '1' } }) }, 'Arguments.Qualifier'],
  ['a retry of a Map', { A: map({ Retry: [] }) }, 'State A: Retry is not run'],
  ['a Map in a Map', { A: map({}, { B: map({}) }) }, 'State B: a Map inside a Map'],
  ['a distributed Map', { A: map({ ItemReader: {} }) }, 'State A: ItemReader is not run'],
  ['Assign in a Map', { A: map({}, { B: aTask({ Assign: { x: 1 } }) }) }, 'State B: Assign inside a Map'],
  ['a function of the service', { A: aTask({ Output: '{% $uuid() %}' }) }, 'State A: "{% $uuid() %}" calls $uuid'],
  ['a bad expression', { A: aTask({ Output: { a: ['{% ( %}'] } }) }, 'State A: "{% ( %}" cannot be read'],
  ['half an expression', { A: aTask({ Output: '{% 1' }) }, 'State A: "{% 1" has only one of'],
  [
    'States.ALL among others',
    { A: aTask({ Catch: [{ ErrorEquals: ['States.ALL', 'X'], Next: 'B' }] }), B: end },
    'alone',
  ],
  [
    'States.ALL before others',
    { A: aTask({ Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['X'] }] }) },
    'State A: States.ALL must stand last',
  ],
  ['an unknown reserved error', { A: aTask({ Retry: [{ ErrorEquals: ['States.Heartbeat'] }] }) }, 'States.Heartbeat'],
  ['a target that is not there', { A: aTask({ Next: 'C', End: undefined }) }, 'State A: Next names C'],
  ['a task without an end', { A: aTask({ End: undefined }) }, 'State A: it needs one of Next and End'],
  ['a state that nothing leads to', { A: aTask(), B: end }, 'State B: no state leads to it'],
])('%s is refused by state and feature', (_what, states, message) => {
  expect(() => readMachine(aMachine(states))).toThrow(message)
})

it('JSONPath machines and unknown fields of the machine are refused', () => {
  expect(() => readMachine(aMachine({ A: aTask() }, { QueryLanguage: 'JSONPath' }))).toThrow('QueryLanguage')
  expect(() => readMachine(aMachine({ A: aTask() }, { Version: '1.0' }))).toThrow('Version is not run')
  expect(() => readMachine('{')).toThrow('not JSON')
})
