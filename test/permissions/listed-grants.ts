/** A grant that no call uses, with the reason why it stays. */
export interface UnusedGrant {
  readonly actions: readonly string[]
  /** Roles by the beginning of their logical id; all of them unless given. */
  readonly roles?: RegExp
  readonly resources?: RegExp
  readonly reason: string
}

export const unusedGrants: readonly UnusedGrant[] = [
  {
    actions: ['sqs:ChangeMessageVisibility', 'sqs:GetQueueUrl'],
    reason:
      "The CDK's event source grants them with the rest of reading a queue; they reach no message that Lambda has not.",
  },
  {
    actions: ['sqs:GetQueueAttributes'],
    resources: /ReaderFailures/,
    reason: "The CDK's failure destination grants it with sending; it tells numbers, and no message.",
  },
  {
    actions: ['sqs:SendMessage'],
    roles: /^DispatchDeliverer/,
    resources: /:TasksLanepartner/,
    reason:
      'A channel that has nothing to be asked gets no schedule but for a task that its gate parks over a minute ahead; each lane is granted alike.',
  },
]

/** Why a grant that nothing uses stays, `undefined` when nobody said so. */
export function reasonFor(grant: {
  readonly roleId: string
  readonly action: string
  readonly resource: string
}): string | undefined {
  return unusedGrants.find(
    ({ actions, roles, resources }) =>
      actions.includes(grant.action) &&
      (roles?.test(grant.roleId) ?? true) &&
      (resources?.test(grant.resource) ?? true),
  )?.reason
}
