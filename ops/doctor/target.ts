import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import type { StageConfig } from '../../infra/config-schema.ts'
import { localConfig } from '../../infra/local-config.ts'

/** A stack to look at, on AWS or on this machine. */
export interface Target {
  /** What it was deployed with. */
  readonly config: StageConfig
  /** CloudFormation outputs by key. */
  readonly outputs: Readonly<Record<string, string>>
  readonly dynamodb: DynamoDBClient
  readonly sqs: SQSClient
  readonly secretsManager: SecretsManagerClient
  /** A token that the API must take, where we have one. */
  readonly token?: string
}

/** There is nothing that could be looked at; the message says what is missing. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
  readonly code = 'NO_TARGET'
}

const flat = z.record(z.string(), z.string())
const described = z.array(z.looseObject({ OutputKey: z.string(), OutputValue: z.string() }))
const anyForm = z.union([
  flat,
  described.transform(byKey),
  z.object({ Stacks: z.tuple([z.object({ Outputs: described })]) }).transform(({ Stacks }) => byKey(Stacks[0].Outputs)),
  z
    .record(z.string(), flat)
    .transform((stacks) => Object.fromEntries(Object.values(stacks).flatMap(Object.entries<string>))),
])

/**
 * A deployed stack, called with the SDK's default credentials.
 * @param outputsJson what `aws cloudformation describe-stacks` prints (whole, or its `Outputs`), what `cdk deploy
 *   --outputs-file` writes, or a map of key to value
 * @param config the settings of its stage
 * @throws TargetError also when outputs and settings are of two stages
 */
export function deployedTarget(outputsJson: string, config: StageConfig): Target {
  const outputs = parseOutputs(outputsJson)
  const { Stage: stage, Region: region } = outputs
  if (stage !== config.stage) {
    throw new TargetError(
      `The outputs are of the stage ${stage ?? 'of an older release'}, the settings of ${config.stage}; name its file with --config.`,
    )
  }
  const options = { ...limits, ...(region !== undefined && { region }) }
  return { config, outputs, ...clientsOf(options, options) }
}

const runningSchema = z.object({
  outputs: flat,
  dynamodbEndpoint: z.string(),
  gatewayUrl: z.string(),
})
export type RunningStack = z.output<typeof runningSchema>

/** File in the state's folder in which a running local stack says where it is. */
export const RUNNING_FILE = 'running.json'

/**
 * The stack that `npm start` runs on this machine.
 * @param folder where it keeps its state: `.backstop`
 * @throws TargetError when none runs
 */
export function localTarget(folder: string): Target {
  const path = join(folder, RUNNING_FILE)
  if (!existsSync(path)) {
    throw new TargetError('No stack runs here. Start one (npm start), or name a deployed one: --stack-outputs <file>.')
  }
  const running = runningSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (!running.success) throw new TargetError(`${path} is not what npm start writes. Start it again.`)
  const tokenPath = join(folder, 'token')
  const token = existsSync(tokenPath) ? readFileSync(tokenPath, 'utf8').trim() : undefined
  return { ...localTargetAt(running.data), ...(token !== undefined && { token }) }
}

/** A local stack at these addresses. */
export function localTargetAt({ outputs, dynamodbEndpoint, gatewayUrl }: RunningStack): Target {
  const options = {
    ...limits,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }
  return {
    config: localConfig(),
    outputs,
    ...clientsOf({ ...options, endpoint: dynamodbEndpoint }, { ...options, endpoint: gatewayUrl }),
  }
}

const limits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true },
}

type ClientOptions = typeof limits & {
  readonly region?: string
  readonly endpoint?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

function clientsOf(ofTables: ClientOptions, ofOthers: ClientOptions) {
  return {
    dynamodb: new DynamoDBClient(ofTables),
    sqs: new SQSClient(ofOthers),
    secretsManager: new SecretsManagerClient(ofOthers),
  }
}

function byKey(outputs: z.output<typeof described>): z.output<typeof flat> {
  return Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
}

function parseOutputs(text: string): z.output<typeof flat> {
  const parsed = anyForm.safeParse(parseJson(text))
  const outputs = parsed.data
  if (outputs?.['ApiUrl'] === undefined || outputs['LedgerTable'] === undefined) {
    throw new TargetError(
      'The file has no outputs of a Backstop stack. Write it: aws cloudformation describe-stacks --stack-name Backstop-<stage> > outputs.json',
    )
  }
  return outputs
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TargetError('The file of outputs is no JSON.', { cause })
  }
}
