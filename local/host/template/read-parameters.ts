import { TemplateError } from './errors.ts'
import type { Template, TemplateParameter } from './template.ts'

/**
 * The value of each template parameter: the caller's, else its default.
 * @throws TemplateError when a value is missing, breaks its AllowedPattern, AllowedValues or length, or names no parameter
 */
export function readParameters(template: Template, overrides: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(overrides)) {
    if (template.Parameters[name] === undefined) throw new TemplateError(`The template has no parameter ${name}.`)
  }
  const values: Record<string, string> = {}
  for (const [name, parameter] of Object.entries(template.Parameters)) {
    const value = overrides[name] ?? parameter.Default
    // CDK adds these for `cdk deploy`'s own version check; nothing in the stack depends on their value.
    if (value === undefined && parameter.Type.startsWith('AWS::SSM::Parameter::')) continue
    if (value === undefined) throw new TemplateError(`Parameter ${name} has no default: give it a value.`)
    checkValue(name, parameter, value)
    values[name] = value
  }
  return values
}

function checkValue(name: string, parameter: TemplateParameter, value: string): void {
  const pattern = parameter.AllowedPattern
  // CloudFormation matches the whole value, whether or not the pattern is anchored.
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(value)) {
    throw new TemplateError(`Parameter ${name} must match ${pattern}.`)
  }
  if (parameter.AllowedValues !== undefined && !parameter.AllowedValues.includes(value)) {
    throw new TemplateError(`Parameter ${name} must be one of ${parameter.AllowedValues.join(', ')}.`)
  }
  const { MinLength: min = 0, MaxLength: max = Number.POSITIVE_INFINITY } = parameter
  if (value.length < min || value.length > max) {
    throw new TemplateError(`Parameter ${name} must have between ${min} and ${max} characters.`)
  }
}
