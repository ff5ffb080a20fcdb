/** An address under a base, which may have a path of its own and a slash at its end. */
export function apiUrl(base: string, path: string): URL {
  return new URL(`${base.replace(/\/+$/, '')}${path}`)
}
