import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { asObject, isObject, parseJson } from './template/json.ts'
import { parseTemplate, type Template } from './template/template.ts'

const PROJECT_DIR = resolve(import.meta.dirname, '../..')
/** Raised when this file asks the app for something else, so that no older template is used. */
const FORMAT = 3
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

export interface SynthesizeOptions {
  /** Folder in which templates are kept from one start to the next. */
  cacheDir: string
  /** Root of the project that holds `infra/local-app.ts` and `cdk.json`. */
  projectDir?: string
}

/** The CDK app ended with an error; its own words are in the message. */
export class SynthesizeError extends Error {
  override readonly name = 'SynthesizeError'
  readonly code = 'SYNTHESIZE'
}

/**
 * The template of the one stack that `infra/local-app.ts` makes, without bundling the functions.
 * Loading CDK takes seconds, so the template is kept under a digest of all that can change it.
 * @throws SynthesizeError when the app fails or makes more than one stack
 */
export async function synthesizeTemplate(options: SynthesizeOptions): Promise<Template> {
  const projectDir = options.projectDir ?? PROJECT_DIR
  const kept = join(options.cacheDir, `template-${digestInputs(projectDir)}.json`)
  if (existsSync(kept)) return parseTemplate(parseJson(readFileSync(kept, 'utf8')))

  mkdirSync(options.cacheDir, { recursive: true })
  const outDir = mkdtempSync(join(options.cacheDir, 'cdk.out-'))
  try {
    await runApp(projectDir, outDir)
    const text = readFileSync(findTemplate(outDir), 'utf8')
    const template = parseTemplate(parseJson(text))
    for (const name of readdirSync(options.cacheDir)) {
      const path = join(options.cacheDir, name)
      if (/^template-.*\.json$/.test(name) && path !== kept) rmSync(path, { force: true })
    }
    // By renaming, so that a second process never reads half a file.
    writeFileSync(join(outDir, 'template.json'), text)
    renameSync(join(outDir, 'template.json'), kept)
    return template
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** SHA-256 over what the template can depend on: the app and all that it imports, its context and its libraries. */
function digestInputs(projectDir: string): string {
  const hash = createHash('sha256').update(`${FORMAT}\n${process.version}\n`)
  const single = ['cdk.json', 'cdk.context.json', 'package.json', 'package-lock.json', 'tsconfig.json']
  const read = new Set(single.map((name) => join(projectDir, name)).filter((path) => existsSync(path)))
  for (const folder of ['infra', 'state-machines'])
    for (const path of listFiles(join(projectDir, folder))) read.add(path)
  // A set grows while it is walked: what an imported file imports is visited too.
  for (const path of read) for (const imported of listImports(path)) read.add(imported)
  for (const path of [...read].sort()) {
    hash
      .update(`${relative(projectDir, path)}\n`)
      .update(readFileSync(path))
      .update('\n')
  }
  // A function's code is not in the template, but that its entry exists is checked by the app.
  for (const path of listFiles(join(projectDir, 'functions'))) hash.update(`${relative(projectDir, path)}\n`)
  return hash.digest('hex').slice(0, 32)
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** Files of the project that a source file imports, also for their types alone. */
function listImports(path: string): string[] {
  if (!path.endsWith('.ts')) return []
  const specifiers = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)
  return [...specifiers].map((match) => resolve(dirname(path), match[1] ?? '')).filter((file) => existsSync(file))
}

async function runApp(projectDir: string, outDir: string): Promise<void> {
  const context = {
    ...readCdkContext(projectDir),
    'aws:cdk:bundling-stacks': [],
    // Resources are then found by their path in the app, which has no hash in it.
    'aws:cdk:enable-path-metadata': true,
  }
  const env = { ...process.env, CDK_OUTDIR: outDir, CDK_CONTEXT_JSON: JSON.stringify(context), NODE_OPTIONS: '' }
  try {
    await promisify(execFile)(process.execPath, ['infra/local-app.ts'], {
      cwd: projectDir,
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    })
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new SynthesizeError(`infra/local-app.ts failed:\n${words}`, { cause: error })
  }
}

/** The context that the CDK CLI would give the app. */
function readCdkContext(projectDir: string): object {
  const path = join(projectDir, 'cdk.json')
  if (!existsSync(path)) return {}
  const { context } = asObject(parseJson(readFileSync(path, 'utf8')), dirname(path))
  return isObject(context) ? context : {}
}

function findTemplate(outDir: string): string {
  const templates = readdirSync(outDir).filter((name) => name.endsWith('.template.json'))
  const [template] = templates
  if (template === undefined || templates.length > 1) {
    throw new SynthesizeError(`infra/local-app.ts makes ${templates.length} stacks, and one is run on this machine.`)
  }
  return join(outDir, template)
}
