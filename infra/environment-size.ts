/** All names and values of a function's environment together. Source: Lambda guide, "Lambda quotas". */
const LIMIT_BYTES = 4096

/**
 * What stands for a value that is known at deploy time only. A resource is named by its logical id: an ARN or address of it in a Region
 * with a long name, of a stack with a name as long as a stage may make it, has no more than this around the id.
 */
const ASSUMED_BYTES = { aroundId: 96, pseudo: 24 } as const

/** Most characters of each parameter by its name; all of them may have only characters of one byte. */
export type ParameterLengths = Readonly<Record<string, number>>

/**
 * About how many bytes an environment may have once deployed, with the longest values that its parameters allow.
 * @param environment resolved: plain values, `Fn::Join` around references, references
 */
export function environmentBytes(environment: Readonly<Record<string, unknown>>, lengths: ParameterLengths): number {
  const entries = Object.entries(environment)
  return entries.reduce((total, [name, value]) => total + Buffer.byteLength(name) + valueBytes(value, lengths), 0)
}

/** A sentence when the environment will not fit, else nothing. */
export function checkEnvironmentSize(
  folder: string,
  environment: Readonly<Record<string, unknown>>,
  lengths: ParameterLengths,
): string[] {
  const bytes = environmentBytes(environment, lengths)
  if (bytes <= LIMIT_BYTES) return []
  return [
    `${folder}: its environment may have about ${bytes} bytes of ${LIMIT_BYTES}; configure fewer channels or overrides, or shorten a channel's mapping.`,
  ]
}

function valueBytes(value: unknown, lengths: ParameterLengths): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((total: number, part) => total + valueBytes(part, lengths), 0)
  if (typeof value !== 'object' || value === null) return String(value).length
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) return valueBytes(value['Fn::Join'][1], lengths)
  const id = idIn(value)
  if (id.startsWith('AWS::')) return ASSUMED_BYTES.pseudo
  return lengths[id] ?? ASSUMED_BYTES.aroundId + id.length
}

/** The logical id in `Ref` or `Fn::GetAtt`. */
function idIn(value: object): string {
  if ('Ref' in value) return String(value.Ref)
  return 'Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt']) ? String(value['Fn::GetAtt'][0]) : ''
}
