import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  CfnFunction,
  type IFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { type BundlingOptions, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { acknowledgePattern } from './acknowledge-pattern.ts'
import { checkEnvironmentSize } from './environment-size.ts'
import type { FunctionSettings } from './function-settings.ts'
import { grant } from './grant.ts'
import { parameterLengths } from './parameter-values.ts'

/** The project's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** How each function becomes one file; `bench/` measures what it makes. */
export const bundling = {
  format: OutputFormat.ESM,
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  // The SDK of the runtime is older than ours, and changes under us.
  bundleAwsSDK: true,
  // Ways to credentials that Lambda never goes: it gives them in the environment, and the SDK looks there first. A third of a bundle.
  externalModules: [
    '@aws-sdk/credential-provider-ini',
    '@aws-sdk/credential-provider-login',
    '@aws-sdk/credential-provider-process',
    '@aws-sdk/credential-provider-sso',
    '@aws-sdk/credential-provider-web-identity',
  ],
  // A CommonJS dependency that asks for a node: module finds no `require` in an ES module.
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
} satisfies BundlingOptions

export interface BackstopFunctionProps<Folder extends keyof FunctionSettings> {
  /** Its `handler.ts` exports `handler`. */
  readonly folder: Folder
  readonly timeoutSeconds: number
  readonly memoryMb: number
  readonly logRetentionDays: RetentionDays
  /**
   * Whether Lambda sends traces to X-Ray. Its rate is Lambda's own.
   * Source: Lambda developer guide, "Visualize Lambda function invocations using AWS X-Ray"
   */
  readonly tracing: boolean
  /** Exactly the settings that the folder reads. */
  readonly environment: Readonly<Record<FunctionSettings[Folder], string>>
  /**
   * For the chain work → ledger → dispatch → lane → work, which is a circle by design: a task may be tried more often than the 16
   * turns at which Lambda takes a circle for a mistake. Lambda cannot see through a table's stream today; were it to learn, it must
   * not stop us. The task's ladder ends our circle.
   */
  readonly isPartOfTaskCircle?: true
}

/** One Lambda with its own role, which may do nothing but write its own log until something is granted, and its own log. */
export class BackstopFunction<Folder extends keyof FunctionSettings> extends Construct {
  readonly function: IFunction
  readonly folder: Folder
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: BackstopFunctionProps<Folder>) {
    super(scope, id)
    const entry = `functions/${props.folder}/handler.ts`
    this.folder = props.folder
    this.logGroup = new LogGroup(this, 'Log', {
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    grant(role, this.logGroup.logGroupArn, 'logs:CreateLogStream', 'logs:PutLogEvents')
    const fn = new NodejsFunction(this, 'Function', {
      description: `Backstop ${props.folder}`,
      entry: `${ROOT}${entry}`,
      handler: 'handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMb,
      role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Start and report of each invocation would be half of all that we log (docs/cost.md); failures and time-outs stay.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: props.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      recursiveLoop: props.isPartOfTaskCircle ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      environment: { ...props.environment },
      awsSdkConnectionReuse: false,
      projectRoot: ROOT,
      depsLockFilePath: `${ROOT}package-lock.json`,
      bundling,
    })
    acknowledgeTracing(fn, role, props.tracing)
    const resource = fn.node.defaultChild
    if (!(resource instanceof CfnFunction)) throw new TypeError('A function without its CloudFormation resource.')
    // The local host runs the source of each function instead of its bundle.
    resource.addMetadata('backstop:entry', entry)
    this.node.addValidation({
      validate: () => checkEnvironmentSize(props.folder, Stack.of(this).resolve(props.environment), parameterLengths),
    })
    this.function = fn
  }
}

function acknowledgeTracing(fn: IFunction, role: Role, isTraced: boolean): void {
  if (isTraced) {
    acknowledgePattern(role, '*', 'Traces are sent to X-Ray, which has no resource to name: nothing else stands on *.')
    return
  }
  Validations.of(fn).acknowledge({
    id: 'Serverless-LambdaTracing',
    reason:
      'A stage setting, off unless asked for: traces break at the stream of the table, so they show one function at a ' +
      'time. Log lines carry the ids by which saved queries follow a payment through all of them (infra/log-queries.ts).',
  })
}
