import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DynamodbEngineError } from './errors.ts'

/**
 * The engine's executable for this platform.
 * @throws DynamodbEngineError NO_ENGINE when no package for this platform is installed
 */
export function findBinary(platform: string = process.platform, arch: string = process.arch): string {
  const packageName = `@dynoxide/${platform}-${arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), 'dynoxide')
  } catch (cause) {
    throw new DynamodbEngineError(
      'NO_ENGINE',
      `No DynamoDB engine is installed for ${platform}-${arch} (${packageName}): ` +
        'set BACKSTOP_DYNAMODB_ENDPOINT to the URL of a DynamoDB-compatible server of your own.',
      { cause },
    )
  }
}
