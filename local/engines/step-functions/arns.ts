const region = 'us-east-1'
const prefix = `arn:aws:states:${region}:000000000000`

/** The region that history events name. */
export const stateRegion = region

export const machineArn = (machine: string): string => `${prefix}:stateMachine:${machine}`

export const executionArn = (machine: string, name: string): string => `${prefix}:execution:${machine}:${name}`

/** Whether a text has the form of an ARN of this service. */
export const isStatesArn = (kind: 'stateMachine' | 'execution', arn: string): boolean =>
  new RegExp(`^arn:aws[a-z-]*:states:[a-z0-9-]+:\\d{12}:${kind}:.+$`).test(arn)
