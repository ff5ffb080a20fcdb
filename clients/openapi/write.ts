import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { generateFiles } from './generate.ts'

for (const { path, text } of generateFiles()) {
  writeFileSync(resolve(import.meta.dirname, '../..', path), text)
  console.log(`Written: ${path}`)
}
