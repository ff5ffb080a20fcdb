import { invalidParameter } from '../errors.ts'
import type { MessageAttribute, OutgoingMessage } from '../message.ts'
import { Fields } from './fields.ts'

/** Reads what SendMessage and one entry of SendMessageBatch have in common. */
export function readMessage(fields: Fields): OutgoingMessage {
  const deduplicationId = fields.optionalText('MessageDeduplicationId')
  if (deduplicationId !== undefined) {
    throw invalidParameter('MessageDeduplicationId', deduplicationId, 'Not valid for this queue type.')
  }
  const delayS = fields.optionalInteger('DelaySeconds', 0, 900)
  const groupId = fields.optionalText('MessageGroupId')
  const traceHeader = readAttributes(fields.map('MessageSystemAttributes'))['AWSTraceHeader']?.StringValue
  return {
    body: fields.text('MessageBody'),
    messageAttributes: readAttributes(fields.map('MessageAttributes')),
    ...(delayS !== undefined && { delayS }),
    ...(groupId !== undefined && { groupId }),
    ...(traceHeader !== undefined && { traceHeader }),
  }
}

function readAttributes(given: Readonly<Record<string, unknown>>): Record<string, MessageAttribute> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readAttribute(new Fields(value))]))
}

function readAttribute(fields: Fields): MessageAttribute {
  const text = fields.optionalText('StringValue')
  const binary = fields.optionalText('BinaryValue')
  return {
    DataType: fields.text('DataType'),
    ...(text !== undefined && { StringValue: text }),
    ...(binary !== undefined && { BinaryValue: binary }),
  }
}
