import { invalidParameter, SqsError } from '../errors.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One JSON object of a request, read field by field with the service's own refusals. */
export class Fields {
  readonly #values: Record<string, unknown>

  constructor(value: unknown) {
    if (!isRecord(value)) throw invalidParameter('body', typeof value, 'A JSON object is expected.')
    this.#values = value
  }

  /** @throws SqsError MissingParameter */
  text(name: string): string {
    const value = this.optionalText(name)
    if (value === undefined || value === '') {
      throw new SqsError('MissingParameter', `The request must contain the parameter ${name}.`)
    }
    return value
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name]
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
    throw invalidParameter(name, value, 'Must be a string.')
  }

  optionalInteger(name: string, min: number, max: number): number | undefined {
    const value = this.#values[name] ?? undefined
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    throw invalidParameter(name, value, `Must be between ${min} and ${max}, if provided.`)
  }

  integer(name: string, min: number, max: number): number {
    const value = this.optionalInteger(name, min, max)
    if (value === undefined) throw new SqsError('MissingParameter', `The request must contain the parameter ${name}.`)
    return value
  }

  textList(name: string): string[] {
    return this.#list(name).map(String)
  }

  objectList(name: string): Fields[] {
    return this.#list(name).map((value) => new Fields(value))
  }

  map(name: string): Record<string, unknown> {
    const value = this.#values[name] ?? {}
    if (isRecord(value)) return value
    throw invalidParameter(name, value, 'Must be a map.')
  }

  #list(name: string): unknown[] {
    const value = this.#values[name] ?? []
    if (Array.isArray(value)) return value
    throw invalidParameter(name, value, 'Must be a list.')
  }
}
