import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { buildOpenApi } from './build-openapi.ts'
import { writeTypes } from './write-types.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const BIOME = resolve(ROOT, 'node_modules/@biomejs/biome/bin/biome')

export interface GeneratedFile {
  /** From the root of the project. */
  readonly path: string
  readonly text: string
}

/** What `npm run openapi` writes, formatted as every other file here. */
export function generateFiles(): readonly GeneratedFile[] {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')))
  const openApi = buildOpenApi(version)
  return [
    format('docs/openapi.json', JSON.stringify(openApi, null, 2)),
    format('clients/typescript/api.ts', writeTypes(openApi)),
  ]
}

function format(path: string, text: string): GeneratedFile {
  const formatted = execFileSync(process.execPath, [BIOME, 'format', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  })
  return { path, text: formatted }
}
