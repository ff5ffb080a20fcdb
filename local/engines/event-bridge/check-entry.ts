import { z } from 'zod'

const maxDepth = 1_000

export const entrySchema = z.object({
  /** Seconds since the epoch, as the SDK sends a Date. */
  Time: z.number().optional(),
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  EventBusName: z.string().optional(),
})

export type Entry = z.infer<typeof entrySchema>

/** Why one entry of a PutEvents call is not taken; the others of the call are. */
export interface EntryFailure {
  ErrorCode: string
  ErrorMessage: string
}

/** An entry's fields once they are known to be there. */
export interface ValidEntry {
  source: string
  detailType: string
  detail: Record<string, unknown>
}

const detailSchema = z.record(z.string(), z.unknown())

/** Checks one entry for what the service answers per entry. Source: PutEvents, EventBridge API reference. */
export function checkEntry(entry: Entry): ValidEntry | EntryFailure {
  const { Source: source, DetailType: detailType, Detail: text } = entry
  if (!source) return missing('Source')
  if (!detailType) return missing('DetailType')
  if (!text) return missing('Detail')
  if (source.startsWith('aws.')) {
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' }
  }
  const detail = parseDetail(text)
  return detail
    ? { source, detailType, detail }
    : { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' }
}

/** Bytes by which an entry counts against the limit of a call. Source: "Calculating PutEvents event entry size". */
export function entrySizeBytes(entry: Entry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
  return bytes + (entry.Time === undefined ? 0 : 14)
}

function missing(name: string): EntryFailure {
  const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`
  return { ErrorCode: 'InvalidArgument', ErrorMessage }
}

function parseDetail(text: string): Record<string, unknown> | undefined {
  try {
    const parsed = detailSchema.safeParse(JSON.parse(text))
    return parsed.success && isShallow(parsed.data, maxDepth) ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}
