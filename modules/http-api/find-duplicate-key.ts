/** Strings whole, so that a brace or colon in one is not taken for structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs

/**
 * The first name that stands twice in one object of a valid JSON text, at any depth. `JSON.parse` keeps only the last of
 * the two, so a reader before us may have seen another amount than we do.
 */
export function findDuplicateKey(json: string): string | undefined {
  const open: Set<string>[] = []
  let text = ''
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name = String(JSON.parse(text))
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    } else text = token
  }
  return undefined
}
