/** One item that a call wrote or checked. */
export interface WrittenItem {
  readonly op: 'Put' | 'Update' | 'Delete' | 'ConditionCheck'
  /** `pk` and `sk` with a line feed between. */
  readonly key: string
}

/** What a DynamoDB call touched, and what the engine says that it consumed. */
export interface TableUse {
  readonly table: string
  readonly writes: readonly WrittenItem[]
  readonly transactional: boolean
  /** Bytes of each item read, 0 for a key without one; a Query's are rounded up together. */
  readonly reads?: { readonly query: boolean; readonly consistent: boolean; readonly sizes: readonly number[] }
  /** The engine's answer to `ReturnConsumedCapacity: 'INDEXES'`. */
  readonly engine: { readonly tableUnits: number; readonly indexUnits: number }
}

/** One call of an AWS API, as the handler's own SDK client made it. */
export interface Call {
  readonly service: string
  readonly command: string
  /** HTTP requests: one, or more when the SDK tried again. */
  readonly requests: number
  readonly ok: boolean
  /** Unix ms. */
  readonly endedAt: number
  /** Bytes of the message, schedule input or event that it carries. */
  readonly payloadBytes: number
  /** The task that a trigger is for. */
  readonly taskNo?: string
  readonly use?: TableUse
}

/** What one record of an event is about. */
export interface Subject {
  readonly step: string
  readonly taskNo?: string
  readonly bizType?: string
  /** Bytes of the message that brought it. */
  readonly messageBytes: number
}

/** One invocation of a function. */
export interface Invocation {
  /** The function's folder. */
  readonly folder: string
  readonly memoryMb: number
  readonly durationMs: number
  /** Of the handler's own thread. */
  readonly cpuMs: number
  readonly logLines: number
  readonly logBytes: number
  readonly subjects: readonly Subject[]
  readonly calls: readonly Call[]
}

/** Begins the line by which a recorded function hands over an invocation. */
export const RECORDING_MARK = '{"backstopBench":'
