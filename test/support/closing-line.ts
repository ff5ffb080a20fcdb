import type { Reporter, TestModule } from 'vitest/node'

/** Prints the plain closing line that people and CI read: how many tests passed, failed and were skipped. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      const broken = module.errors().length
      counts.failed += broken
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === 'pending' ? 'failed' : state]++
      }
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
