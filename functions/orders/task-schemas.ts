import { z } from 'zod'
import { parseTaskNo } from '../../modules/core/ids.ts'
import { taskTypes } from '../../modules/core/task-policies.ts'
import { channel, orderNo, outTradeNo, says, textBy } from './schemas.ts'
import { attemptView, orderView, taskSummaryView, taskView } from './view-schemas.ts'

/** What the index `find` holds: of the closed, only notices that were given up. */
export const listedStatuses = ['MANUAL', 'RETRY', 'CLOSED'] as const

export const taskNo = textBy(parseTaskNo, 'must be 26 letters A to Z or digits 2 to 7').meta({
  id: 'TaskNo',
  description: 'Follows from bizType and bizNo.',
  pattern: '^[A-Z2-7]{26}$',
  examples: ['MFZWIZLTMVRXK4TFORSWY2LOMU'],
})

const laneRule = "must be a channel's id, merchant or internal"
export const lane = z
  .string(says(laneRule))
  .regex(/^[a-z][a-z0-9-]{1,23}$/, laneRule)
  .meta({ id: 'Lane', description: "Whose queue: a channel's id, `merchant` or `internal`.", examples: ['internal'] })

const MAX_BIZ_NO = 300
const bizNoRule = `must be 1 to ${MAX_BIZ_NO} printable ASCII characters`
export const bizNo = z
  .string(says(bizNoRule))
  .regex(new RegExp(`^[ -~]{1,${MAX_BIZ_NO}}$`), bizNoRule)
  .meta({
    id: 'BizNo',
    description: 'What a task is about: an orderNo, channel/outTradeNo, orderNo/line, a refundNo, channel/eventId.',
    examples: ['alipay/SO-20260301-0001'],
  })

const MAX_PAGE = 100
const DEFAULT_PAGE = 50
const limitRule = `must be a whole number from 1 to ${MAX_PAGE}`
export const listTasksQuery = z
  .object({
    orderNo: orderNo.optional(),
    taskNo: taskNo.optional().meta({ description: 'One task of the order.' }),
    bizType: z.enum(taskTypes, says('must be a type of task')).optional(),
    bizNo: bizNo.optional(),
    status: z.enum(listedStatuses, says('must be MANUAL, RETRY or CLOSED')).optional().meta({
      description:
        'Those that wait for a person, or for their next try; CLOSED names notices alone that were given up and not told again.',
    }),
    lane: lane.optional(),
    channel: channel.optional(),
    limit: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, limitRule)
      .transform(Number)
      .refine((limit) => limit <= MAX_PAGE, limitRule)
      .default(DEFAULT_PAGE)
      .meta({ description: `Rows of one page; by default ${DEFAULT_PAGE}.` }),
    cursor: z.string().max(2048, 'must be the nextCursor of an earlier page').optional().meta({
      description: 'The nextCursor of the page before, with the same other parameters.',
    }),
  })
  .superRefine((query, context) => {
    const refuse = (field: keyof typeof query, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    const byBiz = query.bizType !== undefined || query.bizNo !== undefined
    if (byBiz && query.bizType === undefined) refuse('bizType', 'is missing beside bizNo')
    if (byBiz && query.bizNo === undefined) refuse('bizNo', 'is missing beside bizType')
    if (byBiz && query.taskNo !== undefined) refuse('taskNo', 'must be left out beside bizType and bizNo')
    if (byBiz && query.cursor !== undefined) refuse('cursor', 'must be left out: there is one such task')
    if (query.taskNo !== undefined && query.orderNo === undefined) refuse('orderNo', 'is missing beside taskNo')
    if (query.status === undefined) {
      if (query.lane !== undefined) refuse('lane', 'must be left out without status')
      if (query.channel !== undefined) refuse('channel', 'must be left out without status')
      if (query.orderNo === undefined && query.taskNo === undefined && !byBiz) {
        refuse('status', 'is missing, and so are orderNo, and bizType with bizNo: one of them must be given')
      }
    } else if (query.orderNo !== undefined || query.taskNo !== undefined || byBiz) {
      refuse('status', 'must be left out beside orderNo, taskNo, bizType and bizNo')
    }
  })
  .meta({ id: 'ListTasksQuery', description: 'Which tasks.' })
export type ListTasksQuery = z.output<typeof listTasksQuery>

export const queryPaymentTask = z
  .object({ bizType: z.literal('QUERY_PAYMENT'), orderNo, channel, outTradeNo })
  .meta({ id: 'QueryPaymentTask', description: 'Ask the channel what became of a try.' })
export const closeOrderTask = z
  .object({ bizType: z.literal('CLOSE_ORDER'), orderNo })
  .meta({ id: 'CloseOrderTask', description: 'Ask all channels, and close what nobody paid.' })

export const createTaskBody = z
  .discriminatedUnion('bizType', [queryPaymentTask, closeOrderTask], says('must be QUERY_PAYMENT or CLOSE_ORDER'))
  .meta({ id: 'CreateTask', description: 'What shall be done now.' })
export type CreateTaskBody = z.output<typeof createTaskBody>

export const tasksPageView = z
  .object({
    tasks: z.array(
      taskSummaryView
        .extend({ attempts: z.array(attemptView).optional() })
        .meta({ id: 'ListedTask', description: 'A task; its executions only by order or business number.' }),
    ),
    nextCursor: z.string().optional().meta({ description: 'Present when there may be more; send it as `cursor`.' }),
  })
  .meta({ id: 'TasksPage', description: 'Tasks, oldest first.' })

export const orderTasksView = z
  .object({ order: orderView, tasks: z.array(taskView) })
  .meta({ id: 'OrderTasks', description: 'An order, and the tasks that were asked to act now.' })
