import { NOTICES_GATE } from '../modules/core/notice.ts'
import type { StageConfig } from './config-schema.ts'

export interface Lane {
  /** A channel's id, `merchant` or `internal`. Source: docs/design/keys-and-rows.md, Lanes */
  readonly name: string
  readonly maxConcurrency: number
}

/** Every lane of a stage: one per channel, then the merchant's own endpoint and the work inside our account. */
export function lanesOf(config: StageConfig): readonly Lane[] {
  return [
    ...config.channels.map(({ account, maxConcurrency }) => ({ name: account.id, maxConcurrency })),
    { name: 'merchant', maxConcurrency: config.merchant.maxConcurrency },
    { name: 'internal', maxConcurrency: config.internal.maxConcurrency },
  ]
}

/** The gates of a stage: those of its lanes, and that of the notices, which share the merchant's lane. */
export function gatesOf(config: StageConfig): readonly string[] {
  return [...gatedLanesOf(config), NOTICES_GATE]
}

/** The lanes that have a gate: all that call somebody else. */
export function gatedLanesOf(config: StageConfig): readonly string[] {
  return lanesOf(config).flatMap(({ name }) => (name === 'internal' ? [] : [name]))
}
