import type { ResourceStatement, Statement } from './policy.ts'

/** What IAM decides on. */
export interface Request {
  readonly action: string
  readonly resource: string
  /** Condition keys with their values. */
  readonly context: Readonly<Record<string, string>>
}

/** What speaks for and against a request of one role. */
export interface Policies {
  readonly identity: readonly Statement[]
  /** Of the resources, whoever they are about. Within one account they can also allow; here they may only deny. */
  readonly resource: readonly ResourceStatement[]
}

export type Decision = 'allowed' | 'denied' | 'not allowed'

/**
 * Decides as IAM does within an account: one denial is enough, and without an allowance nothing goes.
 * @throws RangeError on a condition whose operator is not known here
 * Source: IAM user guide, "Policy evaluation logic"
 */
export function evaluate(request: Request, { identity, resource }: Policies): Decision {
  const about = resource.filter(({ Principal }) => Principal.everybody)
  if ([...identity, ...about].some((one) => one.Effect === 'Deny' && matches(one, request))) return 'denied'
  return identity.some((one) => one.Effect === 'Allow' && matches(one, request)) ? 'allowed' : 'not allowed'
}

/** Whether a statement is about a request. */
export function matches(statement: Pick<Statement, 'Action' | 'Resource' | 'Condition'>, request: Request): boolean {
  return (
    // Names of actions are compared without regard to case, ARNs with it.
    statement.Action.some((pattern) => fits(pattern.toLowerCase(), request.action.toLowerCase())) &&
    statement.Resource.some((pattern) => fits(pattern, request.resource)) &&
    Object.entries(statement.Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, contextValueOf(request.context, key))),
    )
  )
}

/** A key's name has no case: `aws:sourceArn` is `aws:SourceArn`. */
function contextValueOf(context: Request['context'], key: string): string | undefined {
  return Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1]
}

/** A key that the request does not have satisfies none of these. Every key here has one value, so `ForAnyValue` adds nothing. */
function holds(operator: string, wanted: readonly string[], value: string | undefined): boolean {
  switch (operator) {
    case 'StringEquals':
    case 'ForAnyValue:StringEquals':
    case 'ArnEquals':
      return value !== undefined && wanted.includes(value)
    case 'Bool':
      return value !== undefined && wanted.some((one) => one.toLowerCase() === value.toLowerCase())
    case 'StringLike':
    case 'ArnLike':
      return value !== undefined && wanted.some((pattern) => fits(pattern, value))
    default:
      throw new RangeError(`The evaluation of policies does not know the operator ${operator}.`)
  }
}

/** `*` is any text, `?` any one character. */
export function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text)
}
