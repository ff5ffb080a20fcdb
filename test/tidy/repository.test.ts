import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { lanesOf } from '../../infra/lanes.ts'
import { taskTypes } from '../../modules/core/task-policies.ts'
import { problems } from '../../modules/http-api/problem.ts'
import { exampleConfig } from '../infra/example.ts'
import { resourcesOf, synthesize } from '../infra/template.ts'

/** What no linter can hold: that documents, names and habits of the repository fit together. */
const ROOT = resolve(import.meta.dirname, '../..')
const NOT_OURS = new Set(['.git', '.backstop', 'node_modules', 'cdk.out', 'coverage'])

/** One section is for all of them. */
const OF_A_FUNCTION = new RegExp(
  `^Machine(?:${readdirSync(join(ROOT, 'functions')).join('|')})(Errors|Throttles)$`,
  'i',
)
const OF_A_RULE = /^Machine(?:EachMinute|EveryTenHours)NotStarted$/

/** On a machine whose cores are all taken. */
const SYNTHESIS_MS = 120_000

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : [relative(ROOT, path)]
  })
}

const files = filesUnder(ROOT)
const documents = files.filter((path) => path.endsWith('.md'))
const tests = files.filter((path) => /^test\/.*\.ts$/.test(path))

/** Headings outside code, without their marks. */
function headingsOf(path: string): readonly { readonly level: number; readonly text: string }[] {
  return [...withoutCode(read(path)).matchAll(/^(#{1,6}) +(.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text: text.replaceAll('`', '').trim(),
  }))
}

const CODE_BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm
const withoutCode = (text: string): string => text.replace(CODE_BLOCK, '')
const codeBlocksOf = (path: string): readonly (readonly [language: string, code: string])[] =>
  [...read(path).matchAll(CODE_BLOCK)].map(([, language = '', code = '']) => [language, code])

it('each ADR has its number and title, and What, Why, Consequences and Notes', () => {
  const records = documents.filter((path) => path.startsWith('docs/adr/'))

  expect(records.length).toBeGreaterThan(0)
  for (const path of records) {
    const [title, ...sections] = headingsOf(path)
    expect(title?.text, path).toMatch(new RegExp(`^${path.slice('docs/adr/'.length, 'docs/adr/0000'.length)} `))
    expect(
      sections.map(({ text }) => text),
      path,
    ).toEqual(['What', 'Why', 'Consequences', 'Notes'])
  }
})

it('each error code of the API is in the guide, with its status', () => {
  const guide = read('docs/guide.md')

  for (const [code, { status }] of Object.entries(problems)) expect(guide).toContain(`| \`${code}\` | ${status} |`)
})

it('each task type is in the guide', () => {
  const guide = read('docs/guide.md')

  for (const type of taskTypes) expect(guide).toContain(`| \`${type}\` |`)
})

it(
  'each alarm of the template has a section in the runbook, and each section under Alarms an alarm',
  () => {
    const lanes = lanesOf(exampleConfig()).map(({ name }) => name.replaceAll('-', ''))
    const laneOf = new RegExp(`^(TasksLane|HealthLane|MachineLane)(${lanes.join('|')})(?=[A-Z])`)
    const template = synthesize('prod')
    const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm']
      .flatMap((type) => resourcesOf(template, type))
      .map(({ id }) => id.replace(/[0-9A-F]{8}$/, '').replace(laneOf, '$1<lane>'))
      .map((name) => name.replace(OF_A_FUNCTION, 'Machine<function>$1').replace(OF_A_RULE, 'Machine<rule>NotStarted'))
    const headings = headingsOf('docs/runbook.md')
    const start = headings.findIndex(({ text }) => text === 'Alarms')
    const end = headings.findIndex(({ level }, index) => index > start && level <= 2)
    const sections = headings.slice(start + 1, end).map(({ text }) => text)

    expect(sections.toSorted()).toEqual([...new Set(alarms)].toSorted())
  },
  SYNTHESIS_MS,
)

it('each dependency has its reason in docs/dependencies.md', () => {
  const named = z.record(z.string(), z.string()).default({})
  const manifest = z
    .object({ dependencies: named, devDependencies: named, optionalDependencies: named })
    .parse(JSON.parse(read('package.json')))
  const reasons = read('docs/dependencies.md')

  for (const name of Object.values(manifest).flatMap((group) => Object.keys(group))) {
    // Related ones share a line: `@aws-sdk/client-dynamodb, lib-dynamodb`.
    const isNamed = new RegExp(
      `(^|[\\s|,/])(${literally(name)}|${literally(name.split('/').at(-1) ?? name)})([\\s|,]|$)`,
      'm',
    )
    expect(reasons, name).toMatch(isNamed)
  }
})

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

it('both READMEs have the same sections and the same commands', () => {
  const levels = (path: string) => headingsOf(path).map(({ level }) => level)

  expect(levels('README.zh-CN.md')).toEqual(levels('README.md'))
  const commands = (path: string) => codeBlocksOf(path).filter(([language]) => language !== 'mermaid')
  expect(commands('README.zh-CN.md')).toEqual(commands('README.md'))
  const diagrams = (path: string) => codeBlocksOf(path).filter(([language]) => language === 'mermaid').length
  expect(diagrams('README.zh-CN.md')).toBe(diagrams('README.md'))
})

it('the changelog knows Safety, Features, Fixes and Operations', () => {
  const sections = headingsOf('CHANGELOG.md').filter(({ level }) => level === 3)

  expect(sections.length).toBeGreaterThan(0)
  for (const { text } of sections) expect(['Safety', 'Features', 'Fixes', 'Operations']).toContain(text)
})

it('each link inside the documents leads to a file, and to a heading of it', () => {
  for (const path of documents) {
    for (const [, target = ''] of withoutCode(read(path)).matchAll(/\]\(([^()\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? path : relative(ROOT, resolve(ROOT, dirname(path), file))
      const isThere = files.includes(found) || files.some((one) => one.startsWith(`${found}/`))
      expect(isThere, `${path}: ${target}`).toBe(true)
      if (anchor !== undefined && found.endsWith('.md')) {
        expect(
          headingsOf(found).map(({ text }) => anchorOf(text)),
          `${path}: ${target}`,
        ).toContain(anchor)
      }
    }
  }
})

/** As GitHub makes it: small letters, blanks to hyphens, other signs gone. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

it('each JSON block of the documents is JSON', () => {
  for (const path of documents) {
    for (const [language, code] of codeBlocksOf(path)) {
      if (language === 'json') expect(() => JSON.parse(code), `${path}: ${code}`).not.toThrow()
    }
  }
})

it('no file names a registry or a machine, and none leaves work for later', () => {
  // Put together, so that this file does not hold them itself.
  const forbidden = [
    ['registry', '.npm'].join(''),
    ['npm', 'mirror.com'].join(''),
    ['registry', '.yarnpkg'].join(''),
    ['TO', 'DO'].join(''),
    ['FIX', 'ME'].join(''),
  ]
  // From the root of a machine: not `../work/`, `functions/work/`, `**/work/`.
  const ofAMachine = /(?<![\w.*/])\/(?:work|root|home)\/\w/
  for (const path of files) {
    const text = read(path)
    for (const word of forbidden) expect(text.includes(word), `${path}: ${word}`).toBe(false)
    expect(ofAMachine.exec(text)?.[0], path).toBeUndefined()
  }
})

it('no test is skipped, left alone or waits to be written', () => {
  for (const path of tests) {
    expect(read(path), path).not.toMatch(/\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b/)
  }
})

it('a test is an `it`, in a file that is named by its rule', () => {
  for (const path of tests) {
    expect(path).not.toMatch(/\/(?:cases|review-of)-/)
    expect(read(path), path).not.toMatch(/^ *test[.(]/m)
  }
})

const lockedPackage = z.object({
  integrity: z.string().optional(),
  resolved: z.unknown().optional(),
  inBundle: z.boolean().default(false),
})

it('the lock file says what is installed by hash and not from where', () => {
  const packages = z
    .object({ packages: z.record(z.string(), lockedPackage) })
    .parse(JSON.parse(read('package-lock.json'))).packages

  for (const [path, { integrity, resolved, inBundle }] of Object.entries(packages)) {
    expect(resolved, path).toBeUndefined()
    // What comes inside another package is covered by that one's hash.
    if (path !== '' && !inBundle) expect(integrity, path).toMatch(/^sha512-/)
  }
})
