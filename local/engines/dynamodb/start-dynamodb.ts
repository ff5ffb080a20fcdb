import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type EngineProcess, runEngine } from './engine-process.ts'
import { DynamodbEngineError } from './errors.ts'
import { findBinary } from './find-binary.ts'
import { lockState } from './state-lock.ts'
import { addStreamIndex, hasStreamIndex } from './stream-index.ts'
import { trimStream } from './trim-stream.ts'

/** A DynamoDB endpoint, ours or the one that the environment names. */
export interface Dynamodb {
  endpoint: string
  stop(): Promise<void>
}

export interface DynamodbOptions {
  /** Folder of the engine's files; made when missing. */
  stateDir: string
  /** The `statePath` of the stream readers: what all of them have handled is let go after a day. */
  positionsPath?: string
  env?: Record<string, string | undefined>
  /** Told when the engine ends without `stop`; by default the process fails with the error. */
  onFailure?: (error: DynamodbEngineError) => void
}

/**
 * Starts the DynamoDB engine on the files in `stateDir`, or hands out `BACKSTOP_DYNAMODB_ENDPOINT` when it is set.
 * What was answered survives a kill of either process.
 * @throws DynamodbEngineError NO_ENGINE on a platform without the engine, STATE_IN_USE, ENGINE_FAILED
 */
export async function startDynamodb(options: DynamodbOptions): Promise<Dynamodb> {
  const given = (options.env ?? process.env)['BACKSTOP_DYNAMODB_ENDPOINT']
  if (given) return { endpoint: given, stop: async () => {} }
  const binary = findBinary()
  mkdirSync(options.stateDir, { recursive: true })
  const lock = await lockState(options.stateDir)
  try {
    const dbPath = join(options.stateDir, 'dynamodb.sqlite')
    if (!hasStreamIndex(dbPath)) {
      // The engine sets up its tables at its first start; the index can only follow.
      await (await runEngine(binary, dbPath, lock.noteEngine)).stop()
      addStreamIndex(dbPath)
    }
    if (options.positionsPath !== undefined) trimStream(dbPath, options.positionsPath, Date.now())
    const engine = await runEngine(binary, dbPath, lock.noteEngine)
    return watchEngine(engine, lock.release, options.onFailure ?? failProcess)
  } catch (error) {
    lock.release()
    throw error
  }
}

function watchEngine(
  engine: EngineProcess,
  release: () => void,
  onFailure: (error: DynamodbEngineError) => void,
): Dynamodb {
  let stopping: Promise<void> | undefined
  const end = engine.ended.then((words) => {
    release()
    if (!stopping) onFailure(new DynamodbEngineError('ENGINE_FAILED', `The DynamoDB engine ended by itself: ${words}`))
  })
  return {
    endpoint: engine.endpoint,
    stop() {
      stopping ??= engine.stop().then(() => end)
      return stopping
    },
  }
}

function failProcess(error: DynamodbEngineError): void {
  queueMicrotask(() => {
    throw error
  })
}
