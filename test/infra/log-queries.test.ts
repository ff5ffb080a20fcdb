import { expect, it } from 'vitest'
import { z } from 'zod'
import { referredId, resourcesOf, synthesize } from './template.ts'

const template = synthesize('prod')
const queries = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(({ Properties }) =>
  z
    .object({
      Name: z.string(),
      QueryString: z.string(),
      LogGroupNames: z.array(z.unknown().transform(referredId)),
      Parameters: z.array(z.object({ Name: z.string() })).default([]),
    })
    .parse(Properties),
)
const logOf = new Map(
  resourcesOf(template, 'AWS::Lambda::Function').map(({ Metadata, Properties }) => {
    const { LogGroup } = z.object({ LogGroup: z.unknown().transform(referredId) }).parse(Properties['LoggingConfig'])
    return [z.string().parse(Metadata['backstop:entry']).split('/')[1], LogGroup]
  }),
)

function queryOf(name: string) {
  const query = queries.find(({ Name }) => Name === `Backstop-prod/${name}`)
  if (query === undefined) throw new RangeError(`The stack has no query '${name}'.`)
  return query
}

it('four queries are saved, each in the stack’s own folder', () => {
  expect(queries.map(({ Name }) => Name).sort()).toEqual([
    'Backstop-prod/path of a callback',
    'Backstop-prod/path of an order',
    'Backstop-prod/refusals by channel and reason',
    'Backstop-prod/slowest tasks',
  ])
})

it('the paths of an order and of a callback are looked for in the log of every function', () => {
  const logs = [...logOf.values()]

  expect(logs.length).toBeGreaterThanOrEqual(9)
  expect(queryOf('path of a callback').LogGroupNames.sort()).toEqual(logs.toSorted())
  expect(queryOf('path of an order').LogGroupNames).toEqual(expect.arrayContaining(logs))
})

it('the path of an order begins with the merchant’s own calls, which the access log has', () => {
  const [accessLog] = resourcesOf(template, 'AWS::Logs::LogGroup').filter(({ id }) => id.startsWith('ApiAccessLog'))

  expect(queryOf('path of an order').LogGroupNames).toContain(accessLog?.id)
})

it('the others look only where their lines are', () => {
  expect(queryOf('slowest tasks').LogGroupNames).toEqual([logOf.get('work')])
  expect(queryOf('refusals by channel and reason').LogGroupNames).toEqual([logOf.get('ingress')])
})

it('every placeholder of a query is a parameter that the console asks for', () => {
  for (const { Name, QueryString, Parameters } of queries) {
    const used = [...QueryString.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)

    expect(
      Parameters.map((parameter) => parameter.Name),
      Name,
    ).toEqual([...new Set(used)])
  }
})

it('a log group’s name tells the part of Backstop as the queries read it', () => {
  const part = /parse @log \/(.+?)\//.exec(queryOf('path of an order').QueryString)?.[1] ?? ''
  // CloudFormation names a group after the stack and its logical id, with a suffix.
  const parts = [...logOf].map(([folder, id]) => [
    folder,
    new RegExp(part).exec(`123456789012:Backstop-prod-${id}-a1B2c3D4e5F6`)?.groups?.['part'],
  ])

  expect(Object.fromEntries(parts)).toEqual({
    ingress: 'Ingress',
    settle: 'SettlingSettle',
    salvage: 'SettlingSalvage',
    orders: 'Orders',
    dispatch: 'Dispatch',
    publish: 'Publish',
    work: 'Work',
    sweep: 'Sweep',
    certificates: 'Certificates',
  })
})
