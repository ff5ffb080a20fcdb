import { isJsonObject, type JsonObject, parseJsonObject } from '../json.ts'

/** One notification, its eight signed fields as the texts that were signed. */
export interface AdyenItem {
  readonly pspReference: string
  readonly originalReference: string
  readonly merchantAccountCode: string
  readonly merchantReference: string
  readonly value: string
  readonly currency: string
  readonly eventCode: string
  readonly success: string
  /** Not signed, as is all else in `fields`. */
  readonly hmacSignature: string | undefined
  readonly fields: JsonObject
}

export interface AdyenMessage {
  /** `true` or `false`, as text; not signed. */
  readonly live: string
  readonly items: readonly AdyenItem[]
}

/** Adyen sends one item in a message, and a handful at most where batches are on. Each costs an HMAC for each of our keys. */
export const MAX_ITEMS = 100

const NO_COLON = /^[^:]*$/
const VALUE = /^-?\d{1,16}$/

/**
 * Reads a standard webhook. The signed fields are joined by colons without escaping, so no field but the reference may hold
 * one: else a genuine signature would fit another division of the same text.
 * @returns `undefined` when it is not of this form, has no item or more than {@link MAX_ITEMS}, which is seen before any is read.
 * Source: docs/channels/adyen.md, Callback
 */
export function readAdyenMessage(body: Buffer): AdyenMessage | undefined {
  const message = parseJsonObject(body)
  const live = message?.['live']
  const list = message?.['notificationItems']
  if (typeof live !== 'string' || !Array.isArray(list)) return undefined
  if (list.length === 0 || list.length > MAX_ITEMS) return undefined
  const items = list.map((entry: unknown) =>
    isJsonObject(entry) ? readItem(entry['NotificationRequestItem']) : undefined,
  )
  const known = items.filter((item) => item !== undefined)
  return known.length === items.length ? { live, items: known } : undefined
}

function readItem(fields: unknown): AdyenItem | undefined {
  if (!isJsonObject(fields)) return undefined
  const amount = fields['amount'] ?? {}
  const additional = fields['additionalData'] ?? {}
  if (!isJsonObject(amount) || !isJsonObject(additional)) return undefined
  const value = amount['value']
  const texts = {
    pspReference: textOf(fields['pspReference']),
    originalReference: textOf(fields['originalReference']),
    merchantAccountCode: textOf(fields['merchantAccountCode']),
    value: typeof value === 'number' ? String(value) : textOf(value),
    currency: textOf(amount['currency']),
    eventCode: textOf(fields['eventCode']),
    success: textOf(fields['success']),
  }
  const merchantReference = textOf(fields['merchantReference'])
  if (!isPlain(texts) || merchantReference === undefined) return undefined
  if (texts.value !== '' && !VALUE.test(texts.value)) return undefined
  const signature = additional['hmacSignature']
  return {
    ...texts,
    merchantReference,
    hmacSignature: typeof signature === 'string' ? signature : undefined,
    fields,
  }
}

/** Missing is empty, and the colons stay; anything but text is not of this form. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : undefined
}

function isPlain<Name extends string>(texts: Record<Name, string | undefined>): texts is Record<Name, string> {
  return Object.values<string | undefined>(texts).every((text) => text !== undefined && NO_COLON.test(text))
}
