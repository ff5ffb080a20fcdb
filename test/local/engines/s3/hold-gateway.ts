import { join } from 'node:path'
import { openEventBridge } from '../../../../local/engines/event-bridge/open-event-bridge.ts'
import { startGateway } from '../../../../local/engines/gateway.ts'
import { openS3 } from '../../../../local/engines/s3/open-s3.ts'
import { openSecretsManager } from '../../../../local/engines/secrets-manager/open-secrets-manager.ts'
import { realClock } from '../../../../local/host/clock/clock.ts'

// A process of its own for the kill test: serves three engines on the folder given until it is killed.
const dir = process.argv[2] ?? ''
const clock = realClock
const s3 = openS3({ dir: join(dir, 's3'), clock })
s3.createBucket('bills')
const secretsManager = openSecretsManager({ path: join(dir, 'secrets.sqlite'), clock })
const eventBridge = openEventBridge({ path: join(dir, 'events.sqlite'), clock })
const { url } = await startGateway({
  engines: { s3, secretsManager, eventBridge, sqs: s3, scheduler: s3, stepFunctions: s3 },
})
process.stdout.write(`${url}\n`)
