import type { Brand } from './brand.ts'

export type OrderNo = Brand<string, 'OrderNo'>
/** The merchant's number for one try to pay, unique per channel. */
export type OutTradeNo = Brand<string, 'OutTradeNo'>
/** Id of a configured channel account. Its `kind` names the folder under `channels/`. */
export type ChannelId = Brand<string, 'ChannelId'>
/** The channel's number for one real payment. Source: docs/design/vocabulary.md, The canonical transaction */
export type ChannelTxnId = Brand<string, 'ChannelTxnId'>
export type TaskNo = Brand<string, 'TaskNo'>
export type RefundNo = Brand<string, 'RefundNo'>
export type Sku = Brand<string, 'Sku'>

const parser =
  <T extends Brand<string, string>>(pattern: RegExp) =>
  (text: string): T | undefined =>
    pattern.test(text) ? (text as T) : undefined

/** `[0-9A-Za-z_-]{6,32}`. Source: docs/design/keys-and-rows.md */
export const parseOrderNo = parser<OrderNo>(/^[0-9A-Za-z_-]{6,32}$/)
/**
 * The widest rule of the channels (WeChat 6–32 with `*|`, Alipay and Adyen up to 64–80); each channel narrows it. One or two dots
 * are a step in a path, and numbers stand in addresses.
 */
export const parseOutTradeNo = parser<OutTradeNo>(/^(?!\.{1,2}$)[0-9A-Za-z_\-*|@.:]{1,80}$/)
/** A channel account's id stands in keys, metrics and queue names. */
export const parseChannelId = parser<ChannelId>(/^[a-z][a-z0-9-]{1,23}$/)
/** `#` separates the parts of a key and can stand in no id. */
export const parseChannelTxnId = parser<ChannelTxnId>(/^(?!\.{1,2}$)[\x21\x22\x24-\x7e]{1,128}$/)
export const parseTaskNo = parser<TaskNo>(/^[A-Z2-7]{26}$/)
export const parseRefundNo = parser<RefundNo>(/^R[A-Z2-7]{25}$/)
export const parseSku = parser<Sku>(/^[0-9A-Za-z_.-]{1,64}$/)
