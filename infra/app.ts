import { App, CfnRule, Fn } from 'aws-cdk-lib'
import { BackstopStack, stackNameOf } from './backstop-stack.ts'
import { ConfigError } from './errors.ts'
import { addNagChecks } from './nag.ts'
import { readConfig } from './read-config.ts'

/** What follows `-c` on the command line of the CDK; a setting of its own is in no context. */
const app = new App()
const textOf = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name)
  if (value === undefined || typeof value === 'string') return value
  throw new ConfigError(`-c ${name}: give a text.`)
}

try {
  const path = textOf('config')
  const isSample = textOf('sample') === 'allowed'
  const config = await readConfig({ ...(path !== undefined && { path }), isSampleAllowed: isSample })
  const isFirst = textOf('deploy') === 'first'
  const stack = new BackstopStack(app, stackNameOf(config), {
    config: isFirst ? { ...config, deletionProtection: false } : config,
  })
  if (isSample) {
    new CfnRule(stack, 'NobodyDeploysTheSample', {
      assertions: [
        { assert: Fn.conditionEquals('sample', 'your own'), assertDescription: 'This is the sample of the settings.' },
      ],
    })
  }
  addNagChecks(app)
} catch (error) {
  // A wrong setting is the reader's to mend: its sentences say more without a stack trace.
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
