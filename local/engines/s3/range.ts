import { S3Error } from './errors.ts'

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The one range that a header asks for; `undefined` means the whole object, also for what the service ignores
 * (several ranges, another unit, nonsense).
 * @throws S3Error InvalidRange when the range begins behind the end
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= size) {
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable', { 'content-range': `bytes */${size}` })
  }
  return { start, end }
}
