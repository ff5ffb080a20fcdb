/** Items of one TransactWriteItems. Source: aws-facts; DynamoDB quotas */
export const MAX_TRANSACTION_ITEMS = 100

/**
 * Lines of one order. A payment's settlement writes two items for each (the line and its DELIVER task) beside seven of its own
 * and one CLOSE_ATTEMPT for each other open payAttempt, all in one transaction: what is accepted here can always be settled.
 */
export const MAX_LINES = 40
/** Open payAttempts of one order, for the same sum. */
export const MAX_OPEN_PAY_ATTEMPTS = 10
