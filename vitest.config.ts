import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/mute-functions.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
