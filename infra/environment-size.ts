/** All names and values of a function's environment together. Source: Lambda guide, "Lambda quotas". */
const LIMIT_BYTES = 4096

/** What stands for a value that is known at deploy time only. Long names in a Region with a long name stay below these. */
const ASSUMED_BYTES = { resource: 140, pseudo: 24 } as const

/**
 * About how many bytes an environment will have once deployed.
 * @param environment resolved: plain values, `Fn::Join` around references, references
 */
export function environmentBytes(environment: Readonly<Record<string, unknown>>): number {
  const entries = Object.entries(environment)
  return entries.reduce((total, [name, value]) => total + Buffer.byteLength(name) + valueBytes(value), 0)
}

/** A sentence when the environment will not fit, else nothing. */
export function checkEnvironmentSize(folder: string, environment: Readonly<Record<string, unknown>>): string[] {
  const bytes = environmentBytes(environment)
  if (bytes <= LIMIT_BYTES) return []
  return [
    `${folder}: its environment will have about ${bytes} bytes of ${LIMIT_BYTES}; configure fewer channels or overrides, or shorten a channel's mapping.`,
  ]
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((total: number, part) => total + valueBytes(part), 0)
  if (typeof value !== 'object' || value === null) return String(value).length
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) return valueBytes(value['Fn::Join'][1])
  if ('Ref' in value && typeof value.Ref === 'string' && value.Ref.startsWith('AWS::')) return ASSUMED_BYTES.pseudo
  return ASSUMED_BYTES.resource
}
