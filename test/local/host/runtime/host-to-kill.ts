import { startStack } from '../../../../local/host/stack.ts'
import { chainTemplate } from './chain-template.ts'

// A host in a process of its own, for the test that kills it. Its address goes to standard output.
const stack = await startStack({
  template: chainTemplate,
  stateDir: process.argv[2] ?? '',
  rootDir: import.meta.dirname,
})
process.stdout.write(`${stack.url}\n`)
