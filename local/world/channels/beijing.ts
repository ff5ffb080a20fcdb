const BEIJING_MS = 8 * 3600 * 1000

/** `yyyy-MM-ddTHH:mm:ss` of Beijing, UTC+8 all year. @param ms since the epoch */
function wallTime(ms: number): string {
  return new Date(ms + BEIJING_MS).toISOString().slice(0, 19)
}

/** `yyyy-MM-dd HH:mm:ss`, as Alipay writes times. */
export function formatBeijing(ms: number): string {
  return wallTime(ms).replace('T', ' ')
}

/** RFC 3339 with +08:00, as WeChat Pay writes times. */
export function formatBeijingOffset(ms: number): string {
  return `${wallTime(ms)}+08:00`
}

/** `yyyyMMdd`, the beginning of the channels' own numbers. */
export function beijingDay(ms: number): string {
  return wallTime(ms).slice(0, 10).replaceAll('-', '')
}
