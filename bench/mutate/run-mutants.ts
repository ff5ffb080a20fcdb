// npm run mutate [-- --only <part of a name>]
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bookingMutants } from './booking-mutants.ts'
import { coreMutants } from './core-mutants.ts'
import { ledgerMutants } from './ledger-mutants.ts'
import { applyEdit, type Mutant, MutantGoneError } from './mutant.ts'
import { playMutant, runTests, type Verdict } from './play-mutant.ts'

const PROJECT_DIR = resolve(import.meta.dirname, '../..')
const RESULTS = join(PROJECT_DIR, 'bench/results.json')
/** As many mutants are played at once, each in a copy of the project of its own. */
const COPIES = 2

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const all = [...coreMutants, ...bookingMutants, ...ledgerMutants]
const mutants = all.filter(({ name }) => name.includes(values.only ?? ''))

const gone = mutants.flatMap(findGone)
if (gone.length > 0 || mutants.length === 0) {
  console.error(gone.length === 0 ? 'No mutant has such a name.' : gone.join('\n'))
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'backstop-mutants-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const copies = Array.from({ length: COPIES }, (_, index) => copyProject(join(folder, String(index))))

await mustBeGreen(copies)
const verdicts = await playAll(copies)
const survivors = mutants.filter(({ name }) => verdicts.get(name) === 'survived').map(({ name }) => name)
const caught = mutants.length - survivors.length
console.log(`\n${caught} of ${mutants.length} mutants are caught.`)
for (const name of survivors) console.log(`not caught: ${name}`)
if (values.only === undefined) keepScore(caught, survivors)
process.exitCode = survivors.length === 0 ? 0 : 1

function findGone({ name, edits, tests }: Mutant): readonly string[] {
  const lost = tests.filter((file) => !existsSync(join(PROJECT_DIR, file))).map((file) => `${name}: no ${file}`)
  try {
    for (const edit of edits) applyEdit(readFileSync(join(PROJECT_DIR, edit.file), 'utf8'), edit)
    return lost
  } catch (error) {
    if (error instanceof MutantGoneError) return [...lost, `${name}: ${error.message}`]
    throw error
  }
}

/** Every file that git keeps or would keep, as it is now; the packages by a link. */
function copyProject(to: string): string {
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', git, { cwd: PROJECT_DIR, encoding: 'utf8' }).split('\0')
  for (const file of files) {
    const from = join(PROJECT_DIR, file)
    if (file === '' || !existsSync(from)) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(from, join(to, file))
  }
  symlinkSync(join(PROJECT_DIR, 'node_modules'), join(to, 'node_modules'))
  return to
}

/** A test that fails without any mutant catches every one of them. */
async function mustBeGreen([copy = '']: readonly string[]): Promise<void> {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
  const { passed, failed, words } = await runTests(copy, tests)
  if (failed === 0 && passed > 0) return
  console.error(words)
  throw new Error('The tests fail without any mutant, so their failing would show nothing.')
}

async function playAll(places: readonly string[]): Promise<ReadonlyMap<string, Verdict>> {
  const found = new Map<string, Verdict>()
  const queue = [...mutants]
  await Promise.all(
    places.map(async (copy) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const startedAt = performance.now()
        const verdict = await playMutant(copy, next)
        found.set(next.name, verdict)
        console.log(
          `${verdict.padEnd(8)} ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${next.name}`,
        )
      }
    }),
  )
  return found
}

/** Beside the benchmarks' parts, which stay as they are. */
function keepScore(caught: number, survivors: readonly string[]): void {
  const results: { parts?: Record<string, object> } = JSON.parse(readFileSync(RESULTS, 'utf8'))
  const figures = [
    { name: 'mutants', value: mutants.length, unit: 'mutants' },
    { name: 'mutants that no test caught', value: survivors.length, unit: 'mutants', atMost: 0 },
    { name: 'mutants caught', value: Math.round((100 * caught) / mutants.length), unit: '%' },
  ]
  const mutate = { date: new Date().toISOString(), figures, details: { survivors } }
  writeFileSync(RESULTS, `${JSON.stringify({ ...results, parts: { ...results.parts, mutate } }, undefined, 2)}\n`)
}
