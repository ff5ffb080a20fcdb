/** The ARN of a local queue. */
export const queueArn = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`

/** The queue's name in its ARN or URL; a bare name stays as it is. */
export const queueNameOf = (address: string): string =>
  address.slice(Math.max(address.lastIndexOf(':'), address.lastIndexOf('/')) + 1)
