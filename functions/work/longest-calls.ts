import { CLIENT_BUDGET_MS } from '../../modules/channels/clients.ts'
import { WAIT_MS } from '../../modules/core/gate/gate.ts'
import { CLOSE_BUDGET_MS } from '../../modules/core/task-policies.ts'
import { LOOKUP_TIMEOUT_MS } from '../../modules/outgoing/webhook/check-address.ts'
import { TOTAL_TIMEOUT_MS } from '../../modules/outgoing/webhook/send-webhook.ts'

/** Calls of a channel for one payAttempt: ask, close, ask again. */
const CALLS_OF_A_CLOSING = 3
/**
 * The longest runs of the worker. CLOSE_ORDER waits for its first channel's slot, begins payAttempts until its budget is over, and
 * each call of the last one may wait for a slot of its own; a webhook waits for its slot, its name and its answer.
 */
const CLOSE_ORDER_MS = WAIT_MS + CLOSE_BUDGET_MS + CALLS_OF_A_CLOSING * (WAIT_MS + CLIENT_BUDGET_MS)
const WEBHOOK_MS = WAIT_MS + LOOKUP_TIMEOUT_MS + TOTAL_TIMEOUT_MS
/** The longest run of the worker's outgoing calls: what its function's time-out must leave room for. */
export const LONGEST_CALLS_MS = Math.max(CLOSE_ORDER_MS, WEBHOOK_MS)
