import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type GateOverrides, gateConfigOf } from '../core/gate/config.ts'
import { NO_EPOCH, type ParkReason, type TakeAnswer, wakeAtMs } from '../core/gate/gate.ts'
import { type CallReport, type GateChange, pauseGate, resumeGate } from '../core/gate/report.ts'
import type { GateRow, GateState, GateWrite } from '../core/gate/row.ts'
import { type Instant, instantOf, msOf } from '../core/instant.ts'
import { errorFields, log } from '../runtime/telemetry/log.ts'
import { gateClient, openGateTable, readGateRow, writeGateRow } from './gate-table.ts'
import { LaneGate } from './lane-gate.ts'

/** A slot given to a parked task; kept in its row (`slotAt`, `slotLane`, `gateEpoch`) and shown when it comes again. */
export interface Reservation {
  readonly slotAt: Instant
  readonly epoch: number
}

export type Take =
  /** Call after `afterMs` (≤ 2,000), and report it with `epoch`. */
  | { readonly kind: 'go'; readonly afterMs: number; readonly epoch: number }
  /** No attempt: park until `until` and keep the reservation. Slots spread the tasks: jitter of your own would undo it. */
  | {
      readonly kind: 'park'
      readonly until: Instant
      readonly slotAt: Instant
      readonly epoch: number
      readonly reason: ParkReason | 'GATE_UNAVAILABLE'
    }

/** A lane as people and metrics see it. */
export interface GateStatus {
  readonly state: GateState | 'PROBING'
  readonly ratePerS: number
  readonly epoch: number
  readonly calls: number
  readonly failures: number
  /** The next slot for a backlog. */
  readonly nextSlotAt: Instant
  readonly openUntil?: Instant
  readonly reason?: string
}

/** The rate limit and breaker in front of every outgoing call, one lane each. */
export interface Gate {
  /**
   * Asks to make one call. Never throws: without its table the gate keeps everybody back for a few seconds.
   * @param ask `live`: a first try, or one that a callback caused; everything else is backlog
   */
  take(
    lane: string,
    ask: { readonly live: boolean; readonly now: Instant; readonly reservation?: Reservation },
  ): Promise<Take>
  /**
   * Tells what came of a call. Never throws: a report that is lost costs the gate one answer.
   * @returns the change that this very report brought about, for one alarm or metric; mostly `undefined`
   */
  report(lane: string, report: CallReport): Promise<GateChange | undefined>
  /** @throws errors of the SDK, ZodError */
  read(lane: string): Promise<GateStatus>
  /** Stops a lane; at `until` probes decide. @throws GateBusyError, errors of the SDK, ZodError */
  pause(lane: string, until: Instant, reason: string): Promise<void>
  /** Lets a lane go at once. @throws as `pause` */
  resume(lane: string): Promise<void>
}

export interface GateOptions {
  readonly client?: DynamoDBClient
  readonly overrides?: GateOverrides
  readonly nowMs?: () => number
  /** In [0, 1), for jitter. */
  readonly random?: () => number
}

/** Without its table the gate parks a task for this long, and up to as long again. */
const UNAVAILABLE_MS = 5_000

/**
 * Opens the gate for the life of a Lambda environment. One UpdateItem per call that asks, shared by those who ask at the same time; a
 * reserved slot needs none, and good answers ride on the next take. An answer that the table lost may cost a slot: alarm on
 * GateStopped. Without its table the gate fails closed, for seconds.
 * Source: docs/adr/0011-the-gate-gives-slots.md
 */
export function openGate(tableName: string, options: GateOptions = {}): Gate {
  const { overrides = {}, nowMs = Date.now, random = Math.random } = options
  const table = openGateTable(tableName, options.client ?? gateClient())
  const lanes = new Map<string, LaneGate>()

  function laneOf(lane: string): LaneGate {
    const row = { read: () => readGateRow(table, lane), write: (write: GateWrite) => writeGateRow(table, lane, write) }
    const known = lanes.get(lane) ?? new LaneGate(row, lane, gateConfigOf(lane, overrides))
    lanes.set(lane, known)
    return known
  }

  return {
    async take(lane, { live, now, reservation }) {
      const askedMs = msOf(now)
      try {
        const held = reservation && { slotMs: msOf(reservation.slotAt), epoch: reservation.epoch }
        return toTake(await laneOf(lane).take(live, askedMs, held), askedMs, random())
      } catch (error) {
        log('ERROR', 'The gate did not answer; the task is parked.', { lane, ...errorFields(error) })
        const until = instantOf(askedMs + UNAVAILABLE_MS * (1 + random()))
        return { kind: 'park', until, slotAt: until, epoch: NO_EPOCH, reason: 'GATE_UNAVAILABLE' }
      }
    },
    async report(lane, report) {
      try {
        return await laneOf(lane).report(report, nowMs())
      } catch (error) {
        log('ERROR', 'The gate took no report.', { lane, outcome: report.kind, ...errorFields(error) })
        return undefined
      }
    },
    async read(lane) {
      return toStatus(await laneOf(lane).look(nowMs(), 0), nowMs())
    },
    async pause(lane, until, reason) {
      await laneOf(lane).change((row) => pauseGate(row, msOf(until), reason), nowMs())
    },
    async resume(lane) {
      await laneOf(lane).change((row) => resumeGate(row, nowMs()), nowMs())
    },
  }
}

function toTake(answer: TakeAnswer, nowMs: number, random: number): Take {
  if (answer.kind === 'go') return answer
  const { slotMs, epoch, reason } = answer
  const until = instantOf(wakeAtMs(slotMs, nowMs, random))
  return { kind: 'park', until, slotAt: instantOf(slotMs), epoch, reason }
}

function toStatus(row: GateRow, nowMs: number): GateStatus {
  const isOpen = row.state !== 'PASSING'
  return {
    state: isOpen && nowMs >= row.openUntil ? 'PROBING' : row.state,
    ratePerS: Math.round(1_000_000 / row.intervalMs) / 1000,
    epoch: row.epoch,
    calls: row.calls,
    failures: row.failures,
    nextSlotAt: instantOf(Math.max(row.tat, nowMs)),
    ...(isOpen && { openUntil: instantOf(row.openUntil) }),
    ...(row.reason !== '' && { reason: row.reason }),
  }
}
