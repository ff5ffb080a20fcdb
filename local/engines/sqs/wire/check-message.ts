import { invalidParameter, SqsError } from '../errors.ts'
import type { MessageAttribute, MessageAttributes, OutgoingMessage } from '../message.ts'
import type { Queue } from '../queue.ts'

const maxAttributes = 10
// Source: SQS API reference, SendMessage, MessageBody. The complement also catches lone surrogates.
const forbidden = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/** Bytes that count against the size limits: the body, and name, type and value of each attribute. */
export function measureMessage({ body, messageAttributes = {} }: OutgoingMessage): number {
  let bytes = Buffer.byteLength(body)
  for (const [name, attribute] of Object.entries(messageAttributes)) {
    const valueBytes =
      attribute.BinaryValue === undefined
        ? Buffer.byteLength(attribute.StringValue ?? '')
        : Buffer.byteLength(attribute.BinaryValue, 'base64')
    bytes += Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + valueBytes
  }
  return bytes
}

/** @throws SqsError InvalidMessageContents, InvalidParameterValue or MissingParameter */
export function checkMessage(queue: Queue, message: OutgoingMessage): void {
  if (message.body === '') {
    throw new SqsError('MissingParameter', 'The request must contain the parameter MessageBody.')
  }
  if (forbidden.test(message.body)) {
    throw new SqsError('InvalidMessageContents', 'The message contains characters outside the allowed set.')
  }
  const { delayS, groupId } = message
  if (delayS !== undefined && !(Number.isInteger(delayS) && delayS >= 0 && delayS <= 900)) {
    throw invalidParameter('DelaySeconds', delayS, 'DelaySeconds must be >= 0 and <= 900.')
  }
  if (groupId !== undefined && !/^[\x21-\x7e]{1,128}$/.test(groupId)) {
    throw invalidParameter('MessageGroupId', groupId, '1 to 128 letters, digits and punctuation are allowed.')
  }
  checkAttributes(message.messageAttributes ?? {})
  const limit = queue.number('MaximumMessageSize')
  if (measureMessage(message) > limit) {
    throw new SqsError(
      'InvalidParameterValue',
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    )
  }
}

function checkAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes)
  if (entries.length > maxAttributes) {
    throw invalidParameter('MessageAttributes', entries.length, `At most ${maxAttributes} attributes are allowed.`)
  }
  for (const [name, attribute] of entries) checkAttribute(name, attribute)
}

function checkAttribute(name: string, { DataType, StringValue, BinaryValue }: MessageAttribute): void {
  const isNameAllowed =
    /^[A-Za-z0-9_.-]{1,256}$/.test(name) && !/^(aws|amazon)\./i.test(name) && !/^\.|\.$|\.\./.test(name)
  if (!isNameAllowed) throw invalidParameter('MessageAttributes', name, 'The attribute name is not allowed.')
  if (!/^(String|Number|Binary)(\..+)?$/.test(DataType) || DataType.length > 256) {
    throw invalidParameter(name, DataType, 'The type must start with String, Number or Binary.')
  }
  const value = DataType.startsWith('Binary') ? BinaryValue : StringValue
  if (value === undefined || value === '') throw invalidParameter(name, value, 'The attribute must have a value.')
  if (DataType.startsWith('Number') && !Number.isFinite(Number(value))) {
    throw invalidParameter(name, value, 'The value is not a number.')
  }
}
