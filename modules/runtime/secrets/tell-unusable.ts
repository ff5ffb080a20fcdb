import { errorFields } from '../telemetry/log.ts'
import { logAndCount } from '../telemetry/metrics.ts'

/** Says and counts that a secret has no keys in it: an alarm rings. Never its text. */
export function tellUnusable(id: string, error: unknown): void {
  const message = 'A secret cannot be used; what needs it is shut.'
  logAndCount('WARN', message, ['SecretUnusable'], { secret: id, ...errorFields(error) })
}
