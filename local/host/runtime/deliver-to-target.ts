import type { MessageAttributes } from '../../engines/sqs/message.ts'
import type { SqsEngine } from '../../engines/sqs/open-sqs.ts'
import { type Json, parseJson } from '../template/json.ts'
import { functionNameOf } from '../template/read-mappings.ts'

/** What SQS takes beside the body. */
export interface MessageOptions {
  groupId?: string
  messageAttributes?: MessageAttributes
}

/**
 * Hands an event to a target of a rule or schedule, or to a failure destination: a function or a queue.
 * Resolves when the target has accepted the event for good.
 * @param payload JSON text for a function; a queue gets any text as it is
 */
export type Deliver = (targetArn: string, payload: string, options?: MessageOptions) => Promise<void>

/** Opens the delivery to the functions and queues of the stack. */
export function openDelivery(services: {
  invokeAsync: (functionName: string, payload: Json) => void
  sqs: Pick<SqsEngine, 'send'>
}): Deliver {
  return async (targetArn, payload, options = {}) => {
    const service = targetArn.split(':')[2]
    if (service === 'lambda') return services.invokeAsync(functionNameOf(targetArn), parseJson(payload))
    if (service !== 'sqs') throw new Error(`${targetArn} is neither a function nor a queue.`)
    await services.sqs.send(targetArn.split(':').at(-1) ?? '', { body: payload, ...options })
  }
}
