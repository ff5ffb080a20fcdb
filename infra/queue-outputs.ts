import { CfnOutput, type Stack } from 'aws-cdk-lib'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { DeadLetterQueue } from './dead-letter-queue.ts'

/**
 * Tells the address of each queue, for `npm run doctor`: `QueueTasksLanestripe`, and `DeadLetters…` for where messages end.
 * An output each: all of them together are longer than one value may be. Call it last.
 */
export function addQueueOutputs(stack: Stack): void {
  for (const queue of stack.node.findAll().filter((construct) => construct instanceof Queue)) {
    const owner = queue.node.scope
    const isDead = owner instanceof DeadLetterQueue
    const names = (owner?.node.scopes ?? []).slice(2).map(({ node }) => node.id)
    const name = names.filter((part) => part !== 'DeadLetters').join('')
    new CfnOutput(stack, `${isDead ? 'DeadLetters' : 'Queue'}${name.replaceAll(/[^0-9A-Za-z]/g, '')}`, {
      value: queue.queueUrl,
    })
  }
}
