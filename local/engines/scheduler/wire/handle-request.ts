import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../../sqs/wire/read-body.ts'
import { invalid, SchedulerError } from '../errors.ts'
import type { Registry } from '../registry.ts'
import { createScheduleGroup, deleteScheduleGroup, getScheduleGroup, listScheduleGroups } from './group-operations.ts'
import type { Operation } from './operation.ts'
import { createSchedule, deleteSchedule, getSchedule, listSchedules, updateSchedule } from './schedule-operations.ts'

const operations: Readonly<Record<string, Operation>> = {
  'POST /schedules/{Name}': createSchedule,
  'GET /schedules/{Name}': getSchedule,
  'PUT /schedules/{Name}': updateSchedule,
  'DELETE /schedules/{Name}': deleteSchedule,
  'GET /schedules': listSchedules,
  'POST /schedule-groups/{Name}': createScheduleGroup,
  'GET /schedule-groups/{Name}': getScheduleGroup,
  'DELETE /schedule-groups/{Name}': deleteScheduleGroup,
  'GET /schedule-groups': listScheduleGroups,
}

/** Answers one REST-JSON request; what was changed is on disk before the answer leaves. */
export async function handleRequest(
  registry: Registry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const answer = await runOperation(registry, request)
    await registry.settled()
    reply(response, 200, answer)
  } catch (error) {
    replyError(response, error)
  }
}

async function runOperation(registry: Registry, request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readBody(request)
  const url = new URL(request.url ?? '/', 'http://scheduler')
  const [, resource = '', name = '', ...rest] = url.pathname.split('/')
  const route = `${request.method} /${resource}${name === '' ? '' : '/{Name}'}`
  const operation = rest.length > 0 ? undefined : operations[route]
  if (operation === undefined) throw invalid(`${request.method} ${url.pathname} is not served on this machine.`)
  return operation(registry, { name: decodeURIComponent(name), query: url.searchParams, body: parseJson(text) })
}

function parseJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(`The request body is not JSON: ${String(cause)}`)
  }
}

function replyError(response: ServerResponse, error: unknown): void {
  const known = error instanceof SchedulerError
  response.setHeader('x-amzn-errortype', known ? error.code : 'InternalServerException')
  const message = error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error)
  reply(response, known ? error.status : 500, { Message: message })
}

function reply(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
  })
  response.end(bytes)
}
