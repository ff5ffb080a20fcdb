import middy, { type MiddlewareObj, type MiddyfiedHandler } from '@middy/core'
import { beginInvocation } from '../telemetry/log.ts'

/**
 * What every handler stands in: its error lines say which request it was and whether the environment was new.
 * Lambda ends what takes too long; middy's own early time-out would answer while the work goes on.
 */
export function openFrame<Event, Result>(): MiddyfiedHandler<Event, Result> {
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 }).use(tellInvocation())
}

function tellInvocation(): MiddlewareObj {
  let isCold = true
  return {
    before: ({ context }) => {
      beginInvocation({ requestId: context.awsRequestId, coldStart: isCold })
      isCold = false
    },
  }
}
