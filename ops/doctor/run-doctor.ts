import { checkApi } from './check-api.ts'
import { checkQueues } from './check-queues.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkTables } from './check-tables.ts'
import type { Finding } from './finding.ts'
import type { Target } from './target.ts'

/**
 * Looks at a stack from outside and changes nothing of it. A check that fails hides no other.
 * @param nowMs the stack's time
 */
export async function runDoctor(target: Target, nowMs: number): Promise<readonly Finding[]> {
  const groups = await Promise.all([
    checkApi(target),
    checkSecrets(target, nowMs),
    checkTables(target, nowMs),
    checkQueues(target),
  ])
  return groups.flat()
}
