/**
 * An address under a base, which may have a path of its own and a slash at its end.
 * @param path parts that came from elsewhere are encoded by encodeURIComponent
 * @throws RangeError when a part would change the path (`..` goes a level up, however it is encoded): nothing may be sent there.
 * Source: https://url.spec.whatwg.org/#double-dot-path-segment
 */
export function apiUrl(base: string, path: string): URL {
  const root = base.replace(/\/+$/, '')
  const url = new URL(`${root}${path}`)
  const [asked = ''] = path.split('?')
  const wanted = `${new URL(root).pathname.replace(/\/+$/, '')}${asked}`
  if (url.pathname !== wanted) throw new RangeError('A part of the path would change it.')
  return url
}

/** Whether a text can stand as one part of a path: `.` and `..` are steps in it, and nothing at all is no part. */
export function isPathPart(text: string): boolean {
  try {
    return text !== '' && apiUrl('https://path.invalid', `/before/${encodeURIComponent(text)}/after`) !== undefined
  } catch {
    return false // a step in the path, or half a character
  }
}
