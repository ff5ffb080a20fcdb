import { Stack } from 'aws-cdk-lib'
import { CfnQueryDefinition, type LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { BackstopFunction } from './backstop-function.ts'
import type { FunctionSettings } from './function-settings.ts'
import type { BackstopApi } from './http-api.ts'

/** Which part of Backstop wrote a line: the log group is named by its construct, such as `BackstopStack-SettlingSettleLog0A1B2C3D-x`. */
const PART = 'parse @log /-(?<part>[0-9A-Za-z]+)Log[0-9A-F]{8}-/'

/** From the merchant's call over callback and tasks to the delivery. Lines of a metric alone have no message. */
const PATH_OF_AN_ORDER = [
  PART,
  'filter orderNo = "{{orderNo}}" or path = "/orders/{{orderNo}}" or path like "/orders/{{orderNo}}/"',
  'fields coalesce(message, route, concat("attempt of ", taskType)) as what, coalesce(result, outcome, status) as outcomeOf',
  'sort @timestamp asc',
  'display @timestamp, part, what, outcomeOf, decision, code, channel, bizType, taskNo, eventId, messageId, callMs, detail',
  'limit 1000',
]

/** From its acknowledgement (ingress knows no order) to the order that it was settled on, or to the dead letters. */
const PATH_OF_A_CALLBACK = [
  PART,
  'filter messageId = "{{messageId}}" or record = "{{messageId}}"',
  'fields coalesce(message, "A callback was acknowledged.") as what',
  'sort @timestamp asc',
  'display @timestamp, part, what, result, channel, orderNo, eventId, taskNo, code, detail',
]

const SLOWEST_TASKS = [
  'filter message = "A task was executed."',
  'sort callMs desc',
  'display @timestamp, callMs, bizType, channel, outcome, code, decision, orderNo, taskNo',
  'limit 50',
]

/** By the exact reason of the line; two have only the line of their metric. */
const REFUSALS = [
  'filter message = "A callback was refused." or reason in ["no-secret", "too-large"]',
  'stats count(*) as refused by channel, reason',
  'sort refused desc',
]

/**
 * Saved queries of CloudWatch Logs Insights by which one payment is followed through all functions, what X-Ray cannot show.
 * Finds the functions by itself: make it last.
 */
export class LogQueries extends Construct {
  constructor(scope: Construct, id: string, api: BackstopApi) {
    super(scope, id)
    const functions = scope.node
      .findAll()
      .filter(
        (construct): construct is BackstopFunction<keyof FunctionSettings> => construct instanceof BackstopFunction,
      )
    const everywhere = functions.map(({ logGroup }) => logGroup)
    const of = (folder: keyof FunctionSettings) =>
      functions.filter((fn) => fn.folder === folder).map(({ logGroup }) => logGroup)
    this.#save('path of an order', PATH_OF_AN_ORDER, [...everywhere, api.accessLog], 'orderNo')
    this.#save('path of a callback', PATH_OF_A_CALLBACK, everywhere, 'messageId')
    this.#save('slowest tasks', SLOWEST_TASKS, of('work'))
    this.#save('refusals by channel and reason', REFUSALS, of('ingress'))
  }

  #save(name: string, query: readonly string[], logGroups: readonly LogGroup[], parameter?: string): void {
    new CfnQueryDefinition(this, name.replaceAll(' ', '-'), {
      name: `${Stack.of(this).stackName}/${name}`,
      queryString: query.join('\n| '),
      logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      ...(parameter !== undefined && { parameters: [{ name: parameter }] }),
    })
  }
}
