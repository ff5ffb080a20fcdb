import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { synthesizeTemplate } from '../../../local/host/synthesize.ts'

// An app in the shape of a CDK app, without CDK: what CDK makes of the real one is tested with the infrastructure.
const APP = `
import { appendFileSync, writeFileSync } from 'node:fs'
import { size } from '../modules/core/size.ts'
appendFileSync('runs.log', 'x')
const { own, 'aws:cdk:bundling-stacks': bundling } = JSON.parse(process.env.CDK_CONTEXT_JSON)
const Resources = { Queue: { Type: 'AWS::SQS::Queue', Properties: { size, own, bundling } } }
writeFileSync(process.env.CDK_OUTDIR + '/Own.template.json', JSON.stringify({ Resources }))
`
let projectDir: string
let cacheDir: string

beforeEach(() => {
  projectDir = mkdtempSync(join(tmpdir(), 'backstop-synth-'))
  cacheDir = join(projectDir, '.cache')
  for (const folder of ['infra', 'modules/core', 'functions/work'])
    mkdirSync(join(projectDir, folder), { recursive: true })
  writeFileSync(join(projectDir, 'infra/local-app.ts'), APP)
  writeFileSync(join(projectDir, 'modules/core/size.ts'), 'export const size = 1')
  writeFileSync(join(projectDir, 'functions/work/handler.ts'), 'export const handler = 1')
  writeFileSync(join(projectDir, 'package.json'), '{"type":"module"}')
  writeFileSync(join(projectDir, 'cdk.json'), '{"context":{"own":"yes"}}')
})
afterEach(() => rmSync(projectDir, { recursive: true }))

const synthesize = () => synthesizeTemplate({ cacheDir, projectDir })
const countRuns = () => readFileSync(join(projectDir, 'runs.log'), 'utf8').length

describe('the template of the app', () => {
  it('is made without bundling, with the context of cdk.json', async () => {
    const template = await synthesize()

    expect(template.Resources['Queue']?.Properties).toEqual({ size: 1, own: 'yes', bundling: [] })
  })

  it('is kept, also when the code of a function changes', async () => {
    await synthesize()
    writeFileSync(join(projectDir, 'functions/work/handler.ts'), 'export const handler = 2')
    await synthesize()

    expect(countRuns()).toBe(1)
  })

  it('is made anew when a file changes that the app imports, and the old one is thrown away', async () => {
    await synthesize()
    writeFileSync(join(projectDir, 'modules/core/size.ts'), 'export const size = 2')
    const template = await synthesize()

    expect(template.Resources['Queue']?.Properties).toMatchObject({ size: 2 })
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })

  it('is made anew when a function comes or goes', async () => {
    await synthesize()
    writeFileSync(join(projectDir, 'functions/work/other.ts'), '')
    await synthesize()

    expect(countRuns()).toBe(2)
  })

  it('fails with the words of the app', async () => {
    writeFileSync(join(projectDir, 'infra/local-app.ts'), `throw new Error('channels: stripe is there twice.')`)

    await expect(synthesize()).rejects.toMatchObject({
      code: 'SYNTHESIZE',
      message: expect.stringContaining('channels: stripe is there twice.'),
    })
  })
})
