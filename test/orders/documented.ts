import { z } from 'zod'
import { routeList, routes } from '../../functions/orders/routes.ts'
import { problemView } from '../../functions/orders/view-schemas.ts'
import { problemsOf } from '../../modules/http-api/route-spec.ts'
import { routeKeyOf } from '../../modules/http-api/route-table.ts'

/**
 * Holds every answer that any test receives against the route table: the status is one that the route is documented with, the
 * body is of its schema, and a refusal's code is among the route's.
 * @throws Error, ZodError when the documents do not say what the API does
 */
export function checkDocumented(routeKey: string, status: number, body: unknown): void {
  const id = routeList.find((route) => routeKeyOf(route) === routeKey)?.id
  if (id === undefined) return
  const spec = routes[id]
  const answer = Object.entries(spec.answers).find(([documented]) => Number(documented) === status)?.[1]
  if (answer !== undefined) {
    answer.schema.parse(body)
    return
  }
  const { code } = z.strictObject(problemView.shape).parse(body)
  if (!problemsOf(spec).some((documented) => documented === code)) {
    throw new Error(`${routeKey} is not documented with ${status} ${code}.`)
  }
}
