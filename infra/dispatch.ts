import { RemovalPolicy, Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterRule } from 'aws-cdk-lib/aws-lambda'
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { DeadLetterQueue } from './dead-letter-queue.ts'
import { grant, grantPattern } from './grant.ts'
import type { Ledger } from './ledger.ts'
import { LedgerReader } from './ledger-reader.ts'
import type { TaskLanes } from './task-lanes.ts'

export interface DispatchProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly ledger: Ledger
  readonly lanes: TaskLanes
}

/** Turns a task's wake time into a trigger: a message to its lane, now or delayed, or a one-time schedule for later. */
export class Dispatch extends Construct {
  constructor(scope: Construct, id: string, { config, alarms, ledger, lanes }: DispatchProps) {
    super(scope, id)
    // Deleted with the stack: schedules are triggers only, and rows that lost theirs are found by the sweep.
    const group = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY })
    const lost = new DeadLetterQueue(this, 'LostTriggers', {
      alarms,
      impact: 'A scheduled trigger could not be sent to its lane: the task runs late, when the sweep finds its row.',
    })
    const deliverer = addDeliverer(this, group, [...lanes.arns, lost.queue.queueArn])
    const { function: fn } = new BackstopFunction(this, 'Dispatch', {
      folder: 'dispatch',
      timeoutSeconds: 30,
      memoryMb: 256,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      isPartOfTaskCircle: true,
      environment: {
        LANE_QUEUES: lanes.toJson((queue) => queue.queueUrl),
        LANE_QUEUE_ARNS: lanes.toJson((queue) => queue.queueArn),
        SCHEDULE_GROUP: group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: deliverer.roleArn,
        SCHEDULE_DLQ_ARN: lost.queue.queueArn,
      },
    })
    grant(fn, lanes.arns, 'sqs:SendMessage')
    const reason = 'A schedule is named t.<taskNo>.<wake>: only such names, and only in the one group.'
    grantPattern(fn, scheduleArn(this, group, 't.*'), reason, 'scheduler:CreateSchedule')
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [deliverer.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    )
    new LedgerReader(this, 'Reader', {
      settings: config.streams,
      alarms,
      ledger,
      reader: fn,
      filters: [
        {
          eventName: FilterRule.or('INSERT', 'MODIFY'),
          dynamodb: { NewImage: { et: { S: FilterRule.isEqual('TASK') }, wake: { S: FilterRule.exists() } } },
        },
      ],
      impact:
        'Tasks get no trigger or a late one: retries, deliveries and refunds wait for the sweep to find their rows.',
    })
  }
}

function scheduleArn(scope: Construct, group: ScheduleGroup, name: string): string {
  return Stack.of(scope).formatArn({
    service: 'scheduler',
    resource: 'schedule',
    resourceName: `${group.scheduleGroupName}/${name}`,
  })
}

/** The role that the scheduler takes to send, and only for schedules of this group. */
function addDeliverer(scope: Construct, group: ScheduleGroup, queueArns: readonly string[]): Role {
  const deliverer = new Role(scope, 'Deliverer', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.scheduleGroupArn },
      },
    }),
  })
  grant(deliverer, queueArns, 'sqs:SendMessage')
  return deliverer
}
