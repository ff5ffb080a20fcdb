import { describe, expect, it } from 'vitest'
import { readStack } from '../../../../local/host/template/read-stack.ts'
import { resolveTemplate } from '../../../../local/host/template/resolve-template.ts'
import { parseTemplate } from '../../../../local/host/template/template.ts'
import { chainTemplate } from '../runtime/chain-template.ts'

const places = { region: 'us-east-1', accountId: '000000000000', queueBaseUrl: 'http://q', apiUrl: 'http://a' }
const read = (changes: object = {}) => {
  const document = { ...chainTemplate, Resources: { ...chainTemplate.Resources, ...changes } }
  return readStack(resolveTemplate(parseTemplate(document), { places, stackName: 'Chain', parameters: {} }))
}
const rule = (arn: string) => ({
  Type: 'AWS::Events::Rule',
  Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Arn: arn, Id: 'T' }] },
})
const mapping = (properties: object) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { FunctionName: { Ref: 'Store' }, ...properties },
})

describe('the parts of a stack', () => {
  it('are read with what they say of each other', () => {
    const spec = read()

    expect(spec.functions.find((fn) => fn.name === 'Receive')).toMatchObject({
      entry: 'handlers/receive.ts',
      timeoutMs: 10_000,
      environment: { QUEUE_URL: 'http://q/000000000000/Queue' },
    })
    expect(spec.streamMappings).toMatchObject([{ tableName: 'Table', functionName: 'Follow', maxRetries: 1 }])
    expect(spec.queueMappings).toMatchObject([{ functionName: 'Store', batchSize: 10, reportsItemFailures: true }])
    expect(spec.api?.routes.find((route) => route.routeKey === 'GET /own')).toMatchObject({
      functionName: 'Receive',
      jwt: { audience: ['Client'], scopes: ['chain/read'] },
    })
  })

  it.each<[string, object, string]>([
    ['a rule whose target is no part of it', { R: rule('arn:aws:kinesis:us-east-1:0:stream/s') }, 'R: arn:aws:kinesis'],
    [
      'a rule for a function of another stack',
      { R: rule('arn:aws:lambda:us-east-1:0:function:other') },
      'neither a function',
    ],
    [
      'a mapping from a queue of another stack',
      { M: mapping({ EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:other' }) },
      'M: arn:aws:sqs:us-east-1:000000000000:other is neither',
    ],
    [
      'a mapping from a stream of another stack',
      { M: mapping({ EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Other/stream/1' }) },
      'is no stream of this template',
    ],
    [
      'a mapping to a function that is not there',
      { M: mapping({ FunctionName: 'other', EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }) },
      'M: the template has no function other.',
    ],
    [
      'an authorizer of an issuer that is not its own',
      {
        Jwt: {
          Type: 'AWS::ApiGatewayV2::Authorizer',
          Properties: {
            AuthorizerType: 'JWT',
            JwtConfiguration: { Issuer: 'https://id.example.com', Audience: ['a'] },
          },
        },
      },
      'GET /own: tokens of https://id.example.com cannot be checked',
    ],
    [
      'a second HTTP API',
      { Other: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } } },
      'one HTTP API',
    ],
  ])('are refused with %s', (_what, changes, message) => {
    expect(() => read(changes)).toThrow(message)
  })
})
