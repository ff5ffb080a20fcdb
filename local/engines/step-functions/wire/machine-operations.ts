import { machineArn } from '../arns.ts'
import { localRoleArn } from '../history.ts'
import type { MachineRecord } from '../store.ts'
import { requireMachine, type WireContext } from './context.ts'
import type { Input } from './schemas.ts'

const summaryOf = ({ name, createdAt }: MachineRecord) => ({
  stateMachineArn: machineArn(name),
  name,
  type: 'STANDARD',
  creationDate: createdAt / 1000,
})

/** @throws AwsJsonError StateMachineDoesNotExist, InvalidArn */
export function describeStateMachine(context: WireContext, input: Input<'describeStateMachine'>): object {
  const machine = requireMachine(context, input.stateMachineArn)
  return { ...summaryOf(machine), status: 'ACTIVE', definition: machine.definition, roleArn: localRoleArn }
}

/** All of them on one page. */
export function listStateMachines({ store }: WireContext): object {
  return { stateMachines: store.loadMachines().map(summaryOf) }
}
