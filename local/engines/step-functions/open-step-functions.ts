import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import { serveAwsJson } from '../wire/aws-json.ts'
import { machineArn } from './arns.ts'
import { readMachine } from './definition/read-machine.ts'
import type { Invoke } from './invoke.ts'
import { Runner } from './runner.ts'
import { Store } from './store.ts'
import { makeOperations } from './wire/operations.ts'

/** Standard state machines on this machine. In-process calls answer after the commit, like the wire. */
export interface StepFunctionsEngine extends Engine {
  /**
   * Defines a machine, or gives an existing one a new definition; its open executions keep the one of their start.
   * @throws DefinitionError naming the state and the feature that is not run here
   */
  putMachine(name: string, definition: string): Promise<{ arn: string }>
  /** Whether a function is called or a state is worked on. */
  isRunning(): boolean
}

/**
 * Opens the machines and executions kept in a file; what a crash cut off runs again at once.
 * @param options.path a file, or `:memory:`
 * @param options.invoke calls a function and waits for its answer; called again after a crash
 * @param options.random for jitter, from 0 up to, but without, 1
 * @param options.report one line for each fault of the engine itself; standard error when absent
 */
export function openStepFunctions(options: {
  path: string
  clock: Clock
  invoke: Invoke
  random?: () => number
  report?: (line: string) => void
}): StepFunctionsEngine {
  const { clock, invoke, random = Math.random, report = (line: string) => console.error(line) } = options
  const store = new Store(options.path)
  const runner = new Runner({ store, clock, invoke, random, report })
  const operations = makeOperations({ store, runner })
  return {
    handle: (request, response) => serveAwsJson(operations, request, response),
    nextDueAt: () => runner.nextDueAt(),
    isRunning: () => runner.isRunning(),
    close: () => {
      runner.close()
      store.close()
    },
    putMachine: async (name, definition) => {
      readMachine(definition)
      const known = store.findMachine(name)
      if (known?.definition !== definition) {
        store.putMachine({ name, definition, createdAt: known?.createdAt ?? clock.now() })
      }
      await store.commit.settled()
      return { arn: machineArn(name) }
    },
  }
}
