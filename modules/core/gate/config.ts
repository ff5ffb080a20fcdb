/** How a lane's gate behaves. Rates are outgoing calls per second of the whole lane; times in ms; shares are 0 to 1. */
export interface GateConfig {
  /** The rate of a lane that has never been used. */
  readonly startPerS: number
  /** The rate never falls below this: the breaker, not the rate, stops a lane. */
  readonly minPerS: number
  /** The rate never rises above this: what the other side allows us. */
  readonly maxPerS: number
  /** Additive increase: the rate grows by this in each second in which the lane is used to the full. */
  readonly raisePerS: number
  /** Share of the rate that only first tries may use, so that a backlog never starves them. */
  readonly headroomShare: number
  /** Unused time that may be caught up at once. It also decides how old a worker's view may be before its write is lost. */
  readonly burstMs: number
  /** An answer that took this long is a sign of overload. */
  readonly slowMs: number
  /** The breaker judges the calls of this long, … */
  readonly windowMs: number
  /** … once there are this many, … */
  readonly minCalls: number
  /** … and opens when this share of them failed … */
  readonly failureShare: number
  /** … for this long; */
  readonly openMs: number
  /** then at most this many calls go before the first answer decides. */
  readonly probes: number
  /** How long a misconfigured lane rests before a probe asks again. */
  readonly pauseMs: number
}

/**
 * Starting figures. Breaker: 5 min, 20 calls, 50 %, 60 s, few probes (between Saleor's and Convoy's).
 * No provider publishes a query limit except WeChat Pay (300/s for refund queries), so rates start low and climb.
 */
export const gateDefaults: GateConfig = {
  startPerS: 20,
  minPerS: 1,
  maxPerS: 100,
  raisePerS: 1,
  headroomShare: 0.2,
  burstMs: 200,
  slowMs: 3_000,
  windowMs: 300_000,
  minCalls: 20,
  failureShare: 0.5,
  openMs: 60_000,
  probes: 3,
  pauseMs: 300_000,
}

/** Per lane, what differs from `gateDefaults`: a JSON setting. */
export type GateOverrides = Readonly<Record<string, Partial<GateConfig>>>

/** The figures of one lane. */
export function gateConfigOf(lane: string, overrides: GateOverrides): GateConfig {
  return { ...gateDefaults, ...overrides[lane] }
}

/**
 * The rules between the figures of a lane, for synth.
 * @returns one sentence per broken rule, each naming the setting
 */
export function checkGateConfig(lane: string, config: GateConfig): string[] {
  const rules: readonly (readonly [broken: boolean, field: keyof GateConfig, sentence: string])[] = [
    [!(config.minPerS > 0), 'minPerS', 'must be above 0; to stop a lane, pause it.'],
    [config.startPerS < config.minPerS, 'startPerS', `must be at least minPerS (${config.minPerS}).`],
    [config.startPerS > config.maxPerS, 'startPerS', `must be at most maxPerS (${config.maxPerS}).`],
    // A lane is one item of one table, and an item takes about 1,000 writes a second.
    [config.maxPerS > 500, 'maxPerS', 'must be at most 500: a lane is one DynamoDB item.'],
    [!(config.raisePerS > 0), 'raisePerS', 'must be above 0, else a lane that slowed down stays slow for ever.'],
    [
      !(config.headroomShare >= 0.05 && config.headroomShare <= 0.5),
      'headroomShare',
      'must be 0.05 to 0.5: both kinds of traffic need a lane of their own.',
    ],
    [!(config.burstMs >= 0 && config.burstMs <= 1_000), 'burstMs', 'must be 0 to 1000.'],
    [!(config.slowMs > 0), 'slowMs', 'must be above 0.'],
    [config.windowMs < config.openMs, 'windowMs', `must be at least openMs (${config.openMs}).`],
    [!(config.minCalls >= 2), 'minCalls', 'must be at least 2: one failure proves nothing.'],
    [!(config.failureShare > 0 && config.failureShare <= 1), 'failureShare', 'must be above 0 and at most 1.'],
    [config.openMs < 1_000, 'openMs', 'must be at least 1000.'],
    [!(Number.isInteger(config.probes) && config.probes >= 1), 'probes', 'must be a whole number, 1 or more.'],
    [config.pauseMs < config.openMs, 'pauseMs', `must be at least openMs (${config.openMs}).`],
  ]
  return rules
    .filter(([broken]) => broken)
    .map(([, field, sentence]) => `gate.${lane}.${field}: ${config[field]} ${sentence}`)
}
