import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('what ingress bundles for its channels is verification alone, and small', async () => {
  const result = await build({
    entryPoints: ['modules/channels/verifiers.ts'],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  })

  const inputs = Object.keys(result.metafile.inputs)
  expect(inputs.filter((path) => path.endsWith('/verify.ts'))).toHaveLength(6)
  expect(inputs.filter((path) => path.endsWith('/parse.ts') || path.includes('node_modules'))).toEqual([])
  expect(result.outputFiles[0]?.contents.length).toBeLessThan(22_500)
})
