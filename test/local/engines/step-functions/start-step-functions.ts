import { SFNClient } from '@aws-sdk/client-sfn'
import type { Invoke } from '../../../../local/engines/step-functions/invoke.ts'
import { openStepFunctions } from '../../../../local/engines/step-functions/open-step-functions.ts'
import { serveEngine } from '../sqs/serve-engine.ts'
import { manualClock } from './manual-clock.ts'

/** An engine, served to an unmodified SDK client, with a clock that stands until it leaps. */
export async function startStepFunctions(options: {
  invoke: Invoke
  path?: string
  clock?: ReturnType<typeof manualClock>
  random?: () => number
}) {
  const { path = ':memory:', clock = manualClock(), random = () => 0.5 } = options
  const reports: string[] = []
  const engine = openStepFunctions({
    path,
    clock,
    random,
    invoke: options.invoke,
    report: (line) => void reports.push(line),
  })
  const { url, stop: stopServer } = await serveEngine(engine)
  const client = new SFNClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  const stop = async (): Promise<void> => {
    client.destroy()
    engine.close()
    await stopServer()
  }
  return { engine, client, clock, reports, stop }
}
