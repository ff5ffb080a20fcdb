import { z } from 'zod'

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())])
const conditions = z.record(z.string(), z.record(z.string(), texts))

/** Whoever a policy speaks of: everybody, or services. */
interface Principal {
  readonly everybody: boolean
  readonly services: readonly string[]
}
const everybody: Principal = { everybody: true, services: [] }
const principal: z.ZodType<Principal> = z.union([
  z.literal('*').transform(() => everybody),
  z.strictObject({ AWS: z.literal('*') }).transform(() => everybody),
  z.strictObject({ Service: texts }).transform(({ Service }) => ({ everybody: false, services: Service })),
])

const base = {
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts,
  Condition: conditions.default({}),
}
// Strict: an element that the evaluation does not know (NotAction, NotResource, …) must not pass for one that it heeds.
const identityStatement = z.strictObject({ ...base, Resource: texts })
const resourceStatement = z.strictObject({ ...base, Principal: principal, Resource: texts })
const trustStatement = z.strictObject({ ...base, Principal: principal })

const documentOf = <S extends z.ZodType>(statement: S) =>
  z
    .strictObject({
      Version: z.literal('2012-10-17').optional(),
      Id: z.string().optional(),
      Statement: z.array(statement),
    })
    .transform((document) => document.Statement)

export type Statement = z.output<typeof identityStatement>
export type ResourceStatement = z.output<typeof resourceStatement>

/** The statements of a role's policy. @throws ZodError on an element that is not known here */
export const identityPolicy = documentOf(identityStatement)
/** The statements of a queue's, a bucket's or a topic's policy. */
export const resourcePolicy = documentOf(resourceStatement)
/** Who may take a role. */
export const trustPolicy = documentOf(trustStatement)
