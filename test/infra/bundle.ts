import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What a function's own code does that its environment and its role must allow. */
export interface BundleFacts {
  /** Names read of `settings`, sorted. */
  readonly settings: readonly string[]
  /** IAM actions of the SDK commands it makes, and of the parts of its transactions. */
  readonly actions: ReadonlySet<string>
}

/** The IAM action that each SDK command needs. A command that is not here fails the test that meets it. */
const actionOfCommand: Readonly<Record<string, readonly string[]>> = {
  BatchGetCommand: ['dynamodb:BatchGetItem'],
  CreateScheduleCommand: ['scheduler:CreateSchedule'],
  GetCommand: ['dynamodb:GetItem'],
  GetObjectCommand: ['s3:GetObject'],
  GetSecretValueCommand: ['secretsmanager:GetSecretValue'],
  PutEventsCommand: ['events:PutEvents'],
  PutObjectCommand: ['s3:PutObject'],
  PutSecretValueCommand: ['secretsmanager:PutSecretValue'],
  QueryCommand: ['dynamodb:Query'],
  SendMessageCommand: ['sqs:SendMessage'],
  TransactWriteCommand: [],
  UpdateCommand: ['dynamodb:UpdateItem'],
  paginateQuery: ['dynamodb:Query'],
}

/** The parts of a transaction, as `modules/ledger/table/make-write.ts` names them. */
const actionOfWrite: Readonly<Record<string, string>> = {
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  check: 'dynamodb:ConditionCheckItem',
  delete: 'dynamodb:DeleteItem',
}

/**
 * Reads a function's code as the bundler leaves it, without what it never reaches and without libraries.
 * @throws RangeError on a command or a kind of write that the tables above do not know
 */
export function readBundle(entry: string): BundleFacts {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  const text = outputFiles.map((file) => file.text).join('\n')
  const names = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))].sort()
  // The bundler numbers a name that two files import: QueryCommand2.
  const commands = names(/\b(?:new (?=\w+Command\d*\()|(?=paginate\w+\())(\w+?)\d*\(/g)
  // A bare write is made by its name: makeBare("delete", …).
  const writes = names(/\b(?:op: |makeBare\d*\()"(\w+)"/g)
  return {
    settings: names(/\bsettings\w*\.([A-Z_]+)\b/g),
    actions: new Set([
      ...commands.flatMap((command) => known(actionOfCommand[command], command)),
      ...writes.map((write) => known(actionOfWrite[write], write)),
    ]),
  }
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`test/infra/bundle.ts does not know which action ${name} needs.`)
  return value
}
