import { App } from 'aws-cdk-lib'
import { BackstopStack } from './backstop-stack.ts'
import { readStage, stageNameOf } from './config.ts'

const app = new App()
const stage = stageNameOf(app.node.tryGetContext('stage'))
const stack = new BackstopStack(app, 'BackstopStack', { stage, config: readStage(stage) })
// Not for the local host, which bundles nothing and has to start fast.
if (stack.bundlingRequired) {
  const { addNagChecks } = await import('./nag.ts')
  addNagChecks(app)
}
