import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/mute-functions.ts', 'test/support/give-time.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    pool: 'threads',
    maxWorkers: 2,
    // A test's time grows with the machine: give-time.ts sets it. This is for what is polled.
    expect: { poll: { timeout: 15_000 } },
  },
})
