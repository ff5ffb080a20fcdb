import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Json } from '../../local/host/template/json.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const json: z.ZodType<Json> = z.json()
const failure = z.strictObject({ error: z.string(), cause: z.string() })

/** What happens to one call of a function. */
const stepSchema = z.strictObject({
  return: json.optional(),
  throw: failure.optional(),
  lambdaError: z.strictObject({ errorType: z.string(), errorMessage: z.string() }).optional(),
  /** Seconds that the call takes. */
  delay: z.number().optional(),
  /** How the token comes back; null for never. */
  callback: z.union([z.strictObject({ success: json }), z.strictObject({ failure })]).nullish(),
  /** Seconds from the call to the callback. */
  after: z.number().default(0),
})

const caseSchema = z.strictObject({
  input: json,
  substitutions: z.record(z.string(), z.string()),
  /** By Task state, used up in order over retries and loops. */
  responses: z.record(z.string(), z.array(stepSchema)),
  expect: z.strictObject({
    status: z.string(),
    output: json.optional(),
    error: z.string().optional(),
    entered: z.array(z.string()).optional(),
  }),
})

export type Step = z.infer<typeof stepSchema>
export type Case = z.infer<typeof caseSchema>

/** The machines of the project, by the name of their file. */
export const machines = readdirSync(join(ROOT, 'state-machines')).map((file) => file.replace('.asl.json', ''))

export const definitionOf = (machine: string): string =>
  readFileSync(join(ROOT, 'state-machines', `${machine}.asl.json`), 'utf8')

/** The cases of a machine: one file for each path through it. */
export function casesOf(machine: string): { name: string; test: Case }[] {
  const folder = join(import.meta.dirname, 'cases', machine)
  return readdirSync(folder).map((file) => ({
    name: file.replace('.json', '').replaceAll('-', ' '),
    test: caseSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
  }))
}

/** Puts values in the places that a definition leaves open, as CloudFormation does. */
export const substitute = (definition: string, values: Readonly<Record<string, string>>): string =>
  definition.replaceAll(/\$\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
