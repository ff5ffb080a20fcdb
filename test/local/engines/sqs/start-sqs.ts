import { SQSClient } from '@aws-sdk/client-sqs'
import { openSqs, type SqsEngine } from '../../../../local/engines/sqs/open-sqs.ts'
import { leapingClock } from './leaping-clock.ts'
import { serveEngine } from './serve-engine.ts'

/** An engine in memory, served to an unmodified SDK client, with a clock that leaps. */
export async function startSqs(path = ':memory:') {
  const clock = leapingClock()
  let url = ''
  const engine: SqsEngine = openSqs({ path, clock, urlBase: () => url })
  const served = await serveEngine(engine)
  url = served.url
  const client = new SQSClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  const stop = async (): Promise<void> => {
    client.destroy()
    engine.close()
    await served.stop()
  }
  return { clock, engine, client, stop, urlOf: (name: string) => `${url}/000000000000/${name}` }
}
