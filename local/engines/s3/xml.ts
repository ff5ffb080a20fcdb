import type { S3Error } from './errors.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as it may stand in an XML element; control characters as references, as the service writes them. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may hold them
  return text.replace(/[&<>"\u0000-\u001f]/g, (char) => entities[char] ?? `&#x${char.charCodeAt(0).toString(16)};`)
}

/** The service's error document. */
export function renderError(error: S3Error, resource: string, requestId: string): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${error.code}</Code>` +
    `<Message>${escapeXml(error.message)}</Message><Resource>${escapeXml(resource)}</Resource>` +
    `<RequestId>${requestId}</RequestId></Error>`
  )
}
