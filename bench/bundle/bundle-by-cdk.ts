import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { z } from 'zod'
import { bundling, ROOT } from '../../infra/backstop-function.ts'

const assets = z.object({
  Resources: z.record(z.string(), z.object({ Metadata: z.record(z.string(), z.unknown()).optional() })),
})

/**
 * Bundles entry files exactly as the stack's functions are bundled.
 * @param entries by name; @returns the bundle's file by the same name
 */
export function bundleByCdk(
  outDir: string,
  entries: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const app = new App({
    outdir: outDir,
    context: { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true },
  })
  const stack = new Stack(app, 'Bundles')
  for (const [name, entry] of Object.entries(entries)) {
    new NodejsFunction(stack, name, {
      entry,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      projectRoot: ROOT,
      depsLockFilePath: `${ROOT}package-lock.json`,
      awsSdkConnectionReuse: false,
      bundling,
    })
  }
  const { Resources } = assets.parse(app.synth().getStackArtifact(stack.artifactId).template)
  const paths = Object.values(Resources).flatMap(({ Metadata = {} }) => {
    const [folder, owner] = [Metadata['aws:asset:path'], Metadata['aws:cdk:path']]
    return typeof folder === 'string' && typeof owner === 'string' ? [[owner.split('/')[1] ?? '', folder] as const] : []
  })
  return Object.fromEntries(paths.map(([name, folder]) => [name, join(outDir, folder, 'index.mjs')]))
}
