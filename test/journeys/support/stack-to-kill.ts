import { type StackOptions, startStack } from '../../../local/host/stack.ts'

// A stack in a process of its own, for tests that kill it. Its options come as JSON; its address and a token go to standard output.
const options: StackOptions = JSON.parse(process.argv[2] ?? '{}')
const stack = await startStack(options)
const token = await stack.issue({ scopes: ['backstop/orders.write', 'backstop/orders.read'], ttlSeconds: 86_400 })
process.stdout.write(`${JSON.stringify({ url: stack.url, token })}\n`)
