import type { LocalApp } from './app.ts'

/** One line per change of an order, as the bus tells it. */
export function printChanges({ stack }: LocalApp, print: (line: string) => void): void {
  stack.eventBridge.onEvent(({ event }) => print(lineOf(event.detail)))
}

function lineOf(detail: unknown): string {
  const change = typeof detail === 'object' && detail !== null ? new Map(Object.entries(detail)) : new Map()
  const text = (name: string): string => String(change.get(name) ?? '')
  const from = text('from') === '' ? 'new' : text('from')
  return `${text('at').slice(11, 19)}  ${text('orderNo')}  ${from} → ${text('to')}  by ${text('operatorType')} (${text('reason')})`
}
