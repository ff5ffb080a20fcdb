import type { Context } from 'aws-lambda'

type Probe =
  | { do: 'echo'; value: string }
  | { do: 'throw' }
  | { do: 'reject-unhandled' }
  | { do: 'loop' }
  | { do: 'exit' }
  | { do: 'eat-memory' }
  | { do: 'log'; text: string }
  | { do: 'env' }
  | { do: 'time' }
  | { do: 'context' }
  | { do: 'count' }

let count = 0

/** Does what the event says, so that a test can look at each way in which a function ends. */
export async function handler(event: Probe, context: Context): Promise<unknown> {
  count += 1
  switch (event.do) {
    case 'echo':
      return event.value
    case 'throw':
      throw new TypeError('bad event')
    case 'reject-unhandled':
      void Promise.reject(new Error('nobody waits for this'))
      return new Promise((resolve) => setTimeout(resolve, 5_000))
    case 'loop':
      for (;;);
    case 'exit':
      return process.exit(3)
    case 'eat-memory':
      return eatMemory()
    case 'log':
      process.stdout.write(event.text)
      return null
    case 'env':
      return process.env
    case 'time':
      return {
        now: Date.now(),
        fromNew: new Date().toISOString(),
        fixed: new Date(0).toISOString(),
        isDate: new Date() instanceof Date,
      }
    case 'context':
      return { ...context, remainingMs: context.getRemainingTimeInMillis() }
    case 'count':
      return count
  }
}

function eatMemory(): number {
  const eaten: string[][] = []
  for (;;) eaten.push(Array.from({ length: 100_000 }, (_, index) => `${index}-${eaten.length}`))
}
