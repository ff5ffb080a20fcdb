/** A map out of the table has no order of its own: the same row shall be the same bytes each time it is told. */
export function sortNames<Value>(map: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}
