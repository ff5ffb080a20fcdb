import { expect, it } from 'vitest'
import { matchRoute } from '../../../../local/host/runtime/match-route.ts'

const routes = [
  '$default',
  'ANY /pets/{proxy+}',
  'GET /pets/{id}',
  'ANY /pets/{id}',
  'GET /pets/new',
  'GET /pets/{id}/toys/{toy}',
  'POST /',
].map((routeKey) => ({ routeKey }))

it.each([
  ['GET', '/pets/new', 'GET /pets/new', {}],
  ['GET', '/pets/7', 'GET /pets/{id}', { id: '7' }],
  ['POST', '/pets/7', 'ANY /pets/{id}', { id: '7' }],
  ['GET', '/pets/7/toys/ball', 'GET /pets/{id}/toys/{toy}', { id: '7', toy: 'ball' }],
  ['DELETE', '/pets/7/toys/ball', 'ANY /pets/{proxy+}', { proxy: '7/toys/ball' }],
  ['GET', '/pets/a%20b', 'GET /pets/{id}', { id: 'a b' }],
  ['POST', '/', 'POST /', {}],
  ['GET', '/', '$default', {}],
  ['GET', '/pets/', '$default', {}],
])('%s %s goes to the most specific route: %s', (method, path, routeKey, pathParameters) => {
  expect(matchRoute(routes, method, path)).toEqual({ route: { routeKey }, pathParameters })
})

it('a path without a route matches nothing', () => {
  expect(matchRoute([{ routeKey: 'GET /a/{b}' }], 'GET', '/a/b/c')).toBeUndefined()
})
