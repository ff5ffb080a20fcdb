import { type Instant, parseInstant } from '../../core/instant.ts'

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)$/

/**
 * `yyyy-MM-dd HH:mm:ss[.SSS]` in Beijing, UTC+8 all year. @returns `undefined` for any other text.
 * Source: docs/channels/alipay.md, Fields
 */
export function parseBeijingTime(text: string): Instant | undefined {
  const match = LOCAL_TIME.exec(text)
  return match === null ? undefined : parseInstant(`${match[1]}T${match[2]}+08:00`)
}
