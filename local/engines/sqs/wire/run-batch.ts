import { SqsError } from '../errors.ts'
import type { Fields } from './fields.ts'

const maxEntries = 10

/** The entries of a batch request. @throws SqsError when the batch as a whole is refused */
export function readEntries(fields: Fields): { id: string; entry: Fields }[] {
  const entries = fields.objectList('Entries').map((entry) => ({ id: entry.text('Id'), entry }))
  if (entries.length === 0) {
    throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request.')
  }
  if (entries.length > maxEntries) {
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`,
    )
  }
  const seen = new Set<string>()
  for (const { id } of entries) {
    if (!/^[A-Za-z0-9_-]{1,80}$/.test(id)) {
      throw new SqsError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      )
    }
    if (seen.has(id)) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`)
    seen.add(id)
  }
  return entries
}

/** Runs each entry; one that is refused is reported beside the others, as the service does. */
export function runBatch(
  entries: readonly { id: string; entry: Fields }[],
  runOne: (entry: Fields) => Record<string, unknown>,
): { Successful: unknown[]; Failed: unknown[] } {
  const [Successful, Failed]: [unknown[], unknown[]] = [[], []]
  for (const { id, entry } of entries) {
    try {
      Successful.push({ Id: id, ...runOne(entry) })
    } catch (error) {
      if (!(error instanceof SqsError)) throw error
      Failed.push({ Id: id, SenderFault: true, Code: error.shape.queryCode, Message: error.message })
    }
  }
  return { Successful, Failed }
}
