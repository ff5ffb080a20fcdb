import { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { DeadLetterQueue } from './dead-letter-queue.ts'
import { addOutput } from './output.ts'

/**
 * Tells the address of each queue, for `npm run doctor`: `QueueTasksLanestripe`, and `DeadLetters…` for where messages end.
 * An output each: all of them together are longer than one value may be. Call it last.
 */
export function addQueueOutputs(scope: Construct): void {
  for (const queue of scope.node.findAll().filter((construct) => construct instanceof Queue)) {
    const owner = queue.node.scope
    const isDead = owner instanceof DeadLetterQueue
    const names = (owner?.node.scopes ?? []).slice(scope.node.scopes.length).map(({ node }) => node.id)
    const name = names.filter((part) => part !== 'DeadLetters').join('')
    addOutput(scope, `${isDead ? 'DeadLetters' : 'Queue'}${name.replaceAll(/[^0-9A-Za-z]/g, '')}`, queue.queueUrl)
  }
}
