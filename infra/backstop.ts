import { Construct } from 'constructs'
import { addBackstop } from './add-backstop.ts'
import { addTags } from './backstop-stack.ts'
import { type BackstopConfig, parseConfig } from './config.ts'
import { checkDeployable } from './read-config.ts'

/**
 * All of Backstop as a part of a stack of your own, one a stack; its outputs and parameters have the names that they have in its own
 * stack, and the stack should have termination protection.
 * @throws ConfigError with one sentence per faulty setting, and when it still has the sample's accounts
 */
export class Backstop extends Construct {
  /** For rules of your own. */
  readonly eventBusName: string
  /** Where alarms go, for subscriptions of your own. */
  readonly alarmTopicArn: string
  readonly apiUrl: string

  constructor(scope: Construct, id: string, settings: BackstopConfig) {
    super(scope, id)
    const config = checkDeployable(parseConfig(settings))
    const { bus, alarms, apiUrl } = addBackstop(this, config)
    this.eventBusName = bus.eventBusName
    this.alarmTopicArn = alarms.topic.topicArn
    this.apiUrl = apiUrl
    addTags(this, config)
  }
}
