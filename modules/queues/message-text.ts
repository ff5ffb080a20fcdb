import * as z from 'zod/mini'

/** Which queue a message came from, for people. */
export type QueueName = 'callback' | 'task'

/** A message that our own writer did not write, or of another version. It reaches the queue's dead letters and their alarm. */
export class MessageFormatError extends Error {
  override readonly name = 'MessageFormatError'
  readonly code = 'MESSAGE_FORMAT'

  constructor(queue: QueueName, problem: string, options?: ErrorOptions) {
    super(`A ${queue} message ${problem}. Look for another writer of the queue.`, options)
  }
}

/** Reads by one of the core's parsers. */
export const by = <T>(parse: (text: string) => T | undefined) =>
  z.pipe(
    z.string(),
    z.transform((value, context): T => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.issues.push({ code: 'custom', message: 'is not of its form', input: value })
      return z.NEVER
    }),
  )

/** @throws MessageFormatError naming the field, never its value */
export function readText<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
  queue: QueueName,
): z.output<Schema> {
  const parsed = z.safeParse(schema, parseJson(text, queue))
  if (parsed.success) return parsed.data
  throw new MessageFormatError(queue, `has a wrong '${parsed.error.issues[0]?.path.join('.') ?? 'body'}'`)
}

function parseJson(text: string, queue: QueueName): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new MessageFormatError(queue, 'is no JSON', { cause })
  }
}
