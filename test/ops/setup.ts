import { SQSClient } from '@aws-sdk/client-sqs'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import { parseChannelId, parseOrderNo, parseOutTradeNo } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { readTask } from '../../modules/ledger/read/list-tasks.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { attemptSk, findKeysOf, orderPk, taskSk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import type { AttemptRow, TaskRow } from '../../modules/ledger/table/rows.ts'
import { startTask } from '../../modules/ledger/task/plan-task.ts'
import { readArguments } from '../../ops/arguments.ts'
import type { OpsDeps } from '../../ops/deps.ts'
import { runOps } from '../../ops/run-ops.ts'
import { anInstant, sure } from '../support/core-builders.ts'
import { openToAll } from '../support/world.ts'

export const NOW = anInstant('2026-03-01T08:00:00.000Z')
export const minutesAgo = (minutes: number): Instant => plusMs(NOW, -minutes * 60_000)

let lanes = 0
/** A lane that no other test of the file has: the table is shared. */
export const freshLane = (): string => `bank-${++lanes}`

let tasks = 0
/** A task as it stands in the table, made 20 minutes ago unless said otherwise. */
export async function putTaskRow(
  ledger: Ledger,
  lane: string,
  change: Partial<TaskRow> & { readonly attempts_?: readonly Partial<AttemptRow>[] } = {},
): Promise<TaskRow> {
  const { attempts_: attempts = [], bizType = 'QUERY_PAYMENT', createdAt = minutesAgo(20), ...more } = change
  const orderNo = change.orderNo ?? sure(parseOrderNo(`ORD-${lane}-${++tasks}`))
  const channel = sure(parseChannelId(lane))
  const bizNo = `${lane}/${orderNo}-${tasks}`
  const asked = { pk: orderPk(orderNo), orderNo, channel, source: 'POLICY', at: createdAt } as const
  const template = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo: sure(parseOutTradeNo(`${orderNo}-${tasks}`)) })
  const context = { policies: bindPolicies({}), now: createdAt }
  const started = startTask({ ...asked, bizType: 'QUERY_PAYMENT', bizNo: template }, context).task
  const taskNo = taskNoOf(bizType, bizNo)
  const task = { ...started, bizType, taskNo, sk: taskSk(taskNo), idempotencyKey: taskNo }
  const row: TaskRow = { ...task, ...more, attempts: attempts.length }
  const isListed = row.status === 'RETRY' || row.status === 'MANUAL'
  await put(ledger, { ...row, ...(isListed && findKeysOf(row)) })
  for (const [index, attempt] of attempts.entries()) {
    await put(ledger, {
      pk: row.pk,
      sk: attemptSk(row.taskNo, index + 1),
      v: 1,
      rev: 1,
      updatedAt: createdAt,
      et: 'ATTEMPT',
      taskNo: row.taskNo,
      no: index + 1,
      openedAt: createdAt,
      target: 'somewhere',
      idempotencyKey: row.idempotencyKey,
      ...attempt,
    })
  }
  return row
}

const put = ({ client, table }: Ledger, Item: Record<string, unknown>) =>
  client.send(new PutCommand({ TableName: table, Item }))

export const again = async (ledger: Ledger, { pk, taskNo }: Pick<TaskRow, 'pk' | 'taskNo'>): Promise<TaskRow> =>
  sure(await readTask(ledger, pk, taskNo))

/** Deps of a stack with this lane, beside the merchant's and our own. */
export function depsFor(ledger: Ledger, lane: string, change: Partial<OpsDeps> = {}): OpsDeps {
  return {
    ledger,
    gate: openToAll,
    streams: async () => {
      throw new Error('no stream is read here')
    },
    sqs: new SQSClient({ region: 'us-east-1', endpoint: 'http://127.0.0.1:9' }),
    outputs: {},
    policies: bindPolicies({}),
    lanes: [lane, 'merchant', 'internal'],
    now: () => NOW,
    sleep: async () => {},
    by: 'alice',
    ...change,
  }
}

/** What a command printed, and its exit code. */
export async function runCommand(deps: OpsDeps, ...args: readonly string[]) {
  const { command, json } = readArguments(args)
  const printed: string[] = []
  const code = await runOps(deps, command, json, (line) => printed.push(line))
  return { code, printed }
}
