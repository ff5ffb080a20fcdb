/** A request's route and what stood in place of its path variables. */
export interface RouteMatch<Route> {
  route: Route
  pathParameters: Record<string, string>
}

/**
 * The most specific route for a request, as API Gateway chooses it: a full match before a greedy path before `$default`,
 * fixed segments before variables, the named method before ANY.
 * @param path percent-encoded, without the query
 * Source: API Gateway developer guide, "Routing API requests"
 */
export function matchRoute<Route extends { routeKey: string }>(
  routes: readonly Route[],
  method: string,
  path: string,
): RouteMatch<Route> | undefined {
  const matches = routes.flatMap((route) => matchOne(route, method, path))
  matches.sort((left, right) => compareRanks(right.rank, left.rank))
  const [best] = matches
  return best && { route: best.route, pathParameters: best.pathParameters }
}

interface RankedMatch<Route> extends RouteMatch<Route> {
  /** One number per segment, then one for the method; the higher, the more specific. */
  rank: number[]
}

function matchOne<Route extends { routeKey: string }>(
  route: Route,
  method: string,
  path: string,
): RankedMatch<Route>[] {
  if (route.routeKey === '$default') return [{ route, pathParameters: {}, rank: [-1] }]
  const [routeMethod, routePath = '/'] = route.routeKey.split(' ')
  if (routeMethod !== 'ANY' && routeMethod !== method) return []
  const matched = matchSegments(routePath.split('/').slice(1), path.split('/').slice(1))
  if (matched === undefined) return []
  const rank = [...matched.rank, routeMethod === 'ANY' ? 0 : 1]
  return [{ route, pathParameters: matched.pathParameters, rank }]
}

function matchSegments(
  pattern: string[],
  segments: string[],
): { pathParameters: Record<string, string>; rank: number[] } | undefined {
  const pathParameters: Record<string, string> = {}
  const rank: number[] = []
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]
    if (segment === undefined) return undefined
    const variable = /^\{(.+?)(\+?)\}$/.exec(part)
    if (variable === null) {
      if (part !== segment) return undefined
      rank.push(2)
      continue
    }
    const [, name = '', greedy] = variable
    if (segment === '') return undefined
    if (greedy === '+') {
      pathParameters[name] = decodePath(segments.slice(index).join('/'))
      return { pathParameters, rank: [...rank, 0] }
    }
    pathParameters[name] = decodePath(segment)
    rank.push(1)
  }
  return segments.length === pattern.length ? { pathParameters, rank } : undefined
}

/** Percent-decoded text; a wrong sequence stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function compareRanks(left: number[], right: number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? -1) - (right[index] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}
