import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Part } from '../part.ts'
import { median, round } from '../statistics.ts'
import { layOut } from '../table.ts'
import { bundleByCdk } from './bundle-by-cdk.ts'
import { functionEnvironments } from './function-environments.ts'
import { type Bundle, timeImports } from './time-imports.ts'

const KB = 1024
/** Budgets. Source: issue 4 */
const INGRESS_BYTES = 350 * KB
const IMPORT_RATIO = 1.3
const ROOT = resolve(import.meta.dirname, '../..')

/** What ingress costs a cold start: its bundle as CDK makes it, beside a handler that does nothing with the same SQS client. */
export const bundlePart: Part = {
  title: 'Bundles and their import',
  measure: async ({ quick, print }) => {
    const outDir = mkdtempSync(join(tmpdir(), 'backstop-bench-'))
    try {
      const environments = await functionEnvironments()
      const handlers = [...environments.keys()].map((folder) => [folder, join(ROOT, `functions/${folder}/handler.ts`)])
      const entries = { empty: join(import.meta.dirname, 'empty-handler.ts'), ...Object.fromEntries(handlers) }
      const bundles = Object.fromEntries(
        Object.entries(bundleByCdk(outDir, entries)).map(([name, path]): [string, Bundle] => [
          name,
          { path, environment: environments.get(name) ?? {} },
        ]),
      )
      const times = timeImports(bundles, quick ? 3 : 15)
      const emptyMs = median(times['empty'] ?? [])
      const rows = Object.entries(bundles).map(([name, { path }]) => {
        const ms = median(times[name] ?? [])
        return { name, bytes: statSync(path).size, ms, ratio: ms / emptyMs }
      })
      const table = rows.map(({ name, bytes, ms, ratio }) => [
        name,
        Math.round(bytes / KB),
        ms.toFixed(1),
        ratio.toFixed(2),
      ])
      for (const line of layOut([['function', 'KB', 'import ms', 'to empty'], ...table])) print(line)
      const ingress = rows.find(({ name }) => name === 'ingress')
      if (ingress === undefined) throw new Error('ingress was not bundled.')
      return {
        figures: [
          { name: 'ingress bundle', value: ingress.bytes, unit: 'bytes', atMost: INGRESS_BYTES },
          { name: 'ingress import', value: round(ingress.ms, 1), unit: 'ms' },
          { name: 'ingress import to empty handler', value: round(ingress.ratio), unit: 'ratio', atMost: IMPORT_RATIO },
        ],
        details: rows.map(({ name, bytes, ms, ratio }) => ({ name, bytes, ms: round(ms, 1), ratio: round(ratio) })),
      }
    } finally {
      rmSync(outDir, { recursive: true, force: true })
    }
  },
}
