/** A DynamoDB attribute as it goes over the wire, in JSON (binary as base64) or from the SDK (binary as bytes). */
export interface Attribute {
  readonly S?: string | undefined
  readonly N?: string | undefined
  readonly B?: string | Uint8Array | undefined
  readonly BOOL?: boolean | undefined
  readonly NULL?: boolean | undefined
  readonly L?: readonly Attribute[] | undefined
  readonly M?: Item | undefined
  readonly SS?: readonly string[] | undefined
  readonly NS?: readonly string[] | undefined
}

export type Item = { readonly [name: string]: Attribute }

/** A list or map costs this, and one byte more for each member. */
const CONTAINER_BYTES = 3

/**
 * Bytes of an item as DynamoDB counts them: names and values in UTF-8, a number by its significant digits.
 * Source: DynamoDB Developer Guide, "Item sizes and formats"
 */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8(name) + valueBytes(value), 0)
}

function valueBytes(value: Attribute): number {
  if (value.S !== undefined) return utf8(value.S)
  if (value.N !== undefined) return numberBytes(value.N)
  if (value.B !== undefined) return typeof value.B === 'string' ? Buffer.byteLength(value.B, 'base64') : value.B.length
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1
  if (value.L !== undefined) return value.L.reduce((sum, member) => sum + 1 + valueBytes(member), CONTAINER_BYTES)
  if (value.M !== undefined) return CONTAINER_BYTES + Object.keys(value.M).length + itemBytes(value.M)
  if (value.SS !== undefined) return value.SS.reduce((sum, member) => sum + utf8(member), 0)
  if (value.NS !== undefined) return value.NS.reduce((sum, member) => sum + numberBytes(member), 0)
  throw new TypeError(`No size is known for an attribute of type ${Object.keys(value).join()}.`)
}

/** Two digits a byte and one byte more, and one for the sign; zeros at either end do not count. */
function numberBytes(text: string): number {
  const digits = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

const utf8 = (text: string): number => Buffer.byteLength(text, 'utf8')
