import { App } from 'aws-cdk-lib'
import { BackstopStack } from './backstop-stack.ts'
import { readStage, stageNameOf } from './config.ts'

const app = new App()
const stage = stageNameOf(app.node.tryGetContext('stage'))
new BackstopStack(app, 'BackstopStack', { stage, config: readStage(stage) })
