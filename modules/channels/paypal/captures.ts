import { at, rootOf, wordOf } from '../field.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { PAYPAL_CAPTURE_STATES } from './states.ts'

type CaptureState = 'paid' | 'moving' | 'unknown' | 'refunded' | 'failed'

export interface Capture {
  readonly id: string
  readonly state: CaptureState
}

/** The first of these decides when an order has several captures: nothing closes while one may still be paid. */
const ORDER_OF_WEIGHT: readonly CaptureState[] = ['paid', 'moving', 'unknown', 'refunded', 'failed']

/** The capture of an order that decides about it, or `undefined` when it has none. */
export function pickCapture(units: readonly JsonObject[]): Capture | undefined {
  const captures = units.flatMap(capturesOf)
  return ORDER_OF_WEIGHT.flatMap((state) => captures.filter((capture) => capture.state === state))[0]
}

function capturesOf(unit: JsonObject): readonly Capture[] {
  const { value } = at(rootOf(unit), 'payments', 'captures')
  const listed = Array.isArray(value) ? value.filter(isJsonObject) : []
  return listed.flatMap((capture) => {
    const id = wordOf(at(rootOf(capture), 'id'))
    const state = PAYPAL_CAPTURE_STATES.get(wordOf(at(rootOf(capture), 'status')) ?? '') ?? 'unknown'
    return id === undefined ? [] : [{ id, state }]
  })
}
