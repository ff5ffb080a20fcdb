import { Stack } from 'aws-cdk-lib'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopQueue } from './backstop-queue.ts'
import type { StageConfig } from './config-schema.ts'
import { type Lane, lanesOf } from './lanes.ts'

export interface LaneQueue extends Lane {
  readonly queue: IQueue
}

/** One queue of triggers per lane, so that a channel that hangs holds up nobody else. */
export class TaskLanes extends Construct {
  readonly lanes: readonly LaneQueue[]

  constructor(scope: Construct, id: string, { config, alarms }: { config: StageConfig; alarms: Alarms }) {
    super(scope, id)
    this.lanes = lanesOf(config).map((lane) => {
      const { queue } = new BackstopQueue(this, `Lane-${lane.name}`, {
        settings: config.queues,
        consumerTimeoutSeconds: config.work.timeoutSeconds,
        deadLetters: {
          alarms,
          impact:
            `Tasks of the lane ${lane.name} fail again and again before they can record why: what they should repair stays ` +
            'open. The message is only a trigger; the row is due again within minutes by the sweep.',
        },
      })
      return { ...lane, queue }
    })
  }

  get arns(): string[] {
    return this.lanes.map(({ queue }) => queue.queueArn)
  }

  /** JSON map of lane to what `of` reads from its queue. */
  toJson(of: (queue: IQueue) => string): string {
    return Stack.of(this).toJsonString(Object.fromEntries(this.lanes.map(({ name, queue }) => [name, of(queue)])))
  }
}
