import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startStack } from '../../../../local/host/stack.ts'
import { chainTemplate } from './chain-template.ts'

it('a leaping stack goes through a plan of hours by itself', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-leaping-'))
  const followed: string[] = []
  const stack = await startStack({
    template: chainTemplate,
    stateDir,
    rootDir: import.meta.dirname,
    leap: true,
    onLog: ({ entry, line }) => entry === 'handlers/follow.ts' && followed.push(line),
  })
  const startedAt = stack.clock.now()

  await fetch(`${stack.url}/messages/plain`, {
    method: 'POST',
    body: 'first',
    headers: { 'content-type': 'text/plain' },
  })
  while (!followed.includes('{"followed":"first-later"}')) await sleep(5)
  await stack.stop()

  // The plan is an hour ahead, cut to the whole second that a schedule can name.
  expect(stack.clock.now() - startedAt).toBeGreaterThan(3_599_000)
  rmSync(stateDir, { recursive: true })
})
