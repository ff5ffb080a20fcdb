import { noBody, nothing, type RouteSpec } from '../../modules/http-api/route-spec.ts'
import { createTaskBody, listTasksQuery, tasksPageView } from './task-schemas.ts'
import { taskView } from './view-schemas.ts'

export const taskRoutes = {
  listTasks: {
    method: 'GET',
    path: '/tasks',
    scope: 'tasks.read',
    tag: 'tasks',
    summary: 'Find tasks',
    description:
      'By exactly one of: orderNo (with taskNo for one of its tasks); bizType and bizNo; status, with lane or channel to narrow it. Oldest first. By order and by business number each task comes with its executions. A page by status may hold fewer rows than its limit: rows that moved on meanwhile are left out, and only an absent nextCursor is the end.',
    params: nothing,
    query: listTasksQuery,
    body: noBody,
    answers: { 200: { description: 'The tasks, or a page of them.', schema: tasksPageView } },
    problems: [],
  },
  createTask: {
    method: 'POST',
    path: '/tasks',
    scope: 'tasks.write',
    tag: 'tasks',
    summary: 'Have something asked or closed now',
    description:
      'Starts the task, or has the one that waits done now; one that is in work stays as it is. What moves money or goods is not started here: that is decided by people.',
    params: nothing,
    query: nothing,
    body: createTaskBody,
    answers: { 202: { description: 'The task, which is done now.', schema: taskView } },
    problems: ['ORDER_NOT_FOUND', 'PAY_ATTEMPT_NOT_FOUND', 'TASK_ENDED', 'TASK_MANUAL'],
  },
} as const satisfies Record<string, RouteSpec>
