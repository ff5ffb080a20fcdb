// Stands in for a handler in a recorded run: imports the real one unmodified, runs it, and tells what it called and wrote.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from 'aws-lambda'
import { readSubjects } from './read-subjects.ts'
import { recordCalls, watchSdkClients } from './record-calls.ts'
import { type Invocation, RECORDING_MARK } from './recording.ts'

/** Name of the variable that holds the real handler's file. */
const ENTRY = process.env['BACKSTOP_BENCH_ENTRY'] ?? ''
const ROOT = resolve(import.meta.dirname, '../..')

watchSdkClients()
const log = countOutput()
const real: { handler: (event: unknown, context: Context) => Promise<unknown> } = await import(
  pathToFileURL(resolve(ROOT, ENTRY)).href
)

export async function handler(event: unknown, context: Context): Promise<unknown> {
  log.reset()
  const startedAt = performance.now()
  const cpuBefore = process.threadCpuUsage()
  const { result, calls } = await recordCalls(() => real.handler(event, context))
  const durationMs = performance.now() - startedAt
  const cpu = process.threadCpuUsage(cpuBefore)
  const folder = ENTRY.split('/')[1] ?? ''
  const invocation: Invocation = {
    folder,
    memoryMb: Number(context.memoryLimitInMB),
    durationMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    ...log.counted(),
    subjects: readSubjects(folder, event),
    calls,
  }
  log.write(`${RECORDING_MARK}${JSON.stringify(invocation)}}\n`)
  return result
}

/** Counts what the handler writes to its log; one event at a time runs here, so it is all of one invocation. */
function countOutput() {
  const write = process.stdout.write.bind(process.stdout)
  let logBytes = 0
  let logLines = 0
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    logBytes += Buffer.byteLength(text)
    logLines += text.split('\n').length - 1
    return write(chunk)
  }
  return {
    write: (line: string) => void write(line),
    reset: () => {
      logBytes = 0
      logLines = 0
    },
    counted: () => ({ logBytes, logLines }),
  }
}
