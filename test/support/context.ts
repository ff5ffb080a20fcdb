import type { Context } from 'aws-lambda'

/** Lambda's context as handlers read it, with a minute left. */
export function aContext(functionName: string, remainingMs: () => number = () => 60_000): Context {
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: `request-of-${functionName}`,
    logGroupName: functionName,
    logStreamName: functionName,
    getRemainingTimeInMillis: remainingMs,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
