import { describe, expect, it } from 'vitest'
import { readFunctions } from '../../../../local/host/template/read-functions.ts'
import { readHttpApis } from '../../../../local/host/template/read-http-api.ts'
import { readMappings } from '../../../../local/host/template/read-mappings.ts'
import { readQueues } from '../../../../local/host/template/read-queues.ts'
import { resolveTemplate } from '../../../../local/host/template/resolve-template.ts'
import { parseTemplate } from '../../../../local/host/template/template.ts'

const places = {
  region: 'us-east-1',
  accountId: '000000000000',
  queueBaseUrl: 'http://127.0.0.1:1',
  apiUrl: 'http://127.0.0.1:2',
}
const resolve = (document: object, parameters: Record<string, string> = {}) =>
  resolveTemplate(parseTemplate(document), { places, stackName: 'Stack', parameters })
const queue = (properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties })

describe('a template', () => {
  it('gives each resource the ids that its neighbours refer to', () => {
    const template = resolve({
      Resources: {
        Dead: queue({ QueueName: { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'dead']] } }),
        Live: queue({
          VisibilityTimeout: 360,
          RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 },
        }),
      },
    })

    expect(readQueues(template)[1]).toEqual({
      logicalId: 'Live',
      name: 'Live',
      url: 'http://127.0.0.1:1/000000000000/Live',
      arn: 'arn:aws:sqs:us-east-1:000000000000:Live',
      attributes: {
        VisibilityTimeout: '360',
        RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:Stack-dead","maxReceiveCount":5}',
      },
    })
  })

  it('is refused with the logical id of a resource that cannot be run', () => {
    expect(() => resolve({ Resources: { Cache: { Type: 'AWS::ElastiCache::CacheCluster' } } })).toThrow(
      'Cache: AWS::ElastiCache::CacheCluster cannot be run on this machine.',
    )
  })

  it('leaves out what has no local meaning, and still lets others name it', () => {
    const template = resolve({
      Resources: {
        Role: { Type: 'AWS::IAM::Role' },
        Named: queue({ QueueName: { 'Fn::Select': [1, { 'Fn::Split': ['/', { 'Fn::GetAtt': ['Role', 'Arn'] }] }] } }),
      },
    })

    expect(template.ofType('AWS::IAM::Role')).toEqual([])
    expect(template.ref('Named')).toBe('http://127.0.0.1:1/000000000000/Role')
  })

  it('has only the resources whose condition holds', () => {
    const document = {
      Parameters: { Big: { Type: 'String', Default: 'no' } },
      Conditions: { IsBig: { 'Fn::Equals': [{ Ref: 'Big' }, 'yes'] } },
      Resources: { Extra: { ...queue(), Condition: 'IsBig' } },
    }

    expect(readQueues(resolve(document))).toHaveLength(0)
    expect(readQueues(resolve(document, { Big: 'yes' }))).toHaveLength(1)
  })

  it('is found by the path in the CDK app too', () => {
    const template = resolve({
      Resources: { LedgerTable9343: { ...queue(), Metadata: { 'aws:cdk:path': 'Stack/Ledger/Table/Resource' } } },
    })

    expect(template.ref('Ledger/Table')).toBe(template.ref('LedgerTable9343'))
  })
})

describe('a parameter', () => {
  const document = {
    Parameters: {
      Url: { Type: 'String', AllowedPattern: 'https?://[^ ]+', MaxLength: 30 },
      Bootstrap: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk/version' },
    },
    Resources: { Queue: queue({ QueueName: { Ref: 'Url' } }) },
  }

  it('takes the value that the caller gives', () => {
    expect(resolve(document, { Url: 'http://a' }).ref('Queue')).toContain('http://a')
  })

  it.each([
    ['is missing', {}, 'Parameter Url has no default'],
    ['breaks its pattern', { Url: 'x http://a' }, 'Parameter Url must match'],
    ['is too long', { Url: `http://${'a'.repeat(30)}` }, 'between 0 and 30 characters'],
    ['is not in the template', { Url: 'http://a', Other: 'x' }, 'The template has no parameter Other.'],
  ])('that %s is refused', (_what, parameters, message) => {
    expect(() => resolve(document, parameters)).toThrow(message)
  })
})

describe('a resource that cannot be run as it is', () => {
  it('is a function that does not name its source', () => {
    const template = resolve({ Resources: { Fn: { Type: 'AWS::Lambda::Function' } } })

    expect(() => readFunctions(template)).toThrow('Fn: its metadata backstop:entry must name')
  })

  it('is an event source of another service', () => {
    const template = resolve({
      Resources: {
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { FunctionName: 'f', EventSourceArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/s' },
        },
      },
    })

    expect(() => readMappings(template)).toThrow('Mapping: an event source of kinesis')
  })

  it('is a route with an authorizer of another kind', () => {
    const template = resolve({
      Resources: {
        Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
        Route: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { ApiId: 'Api', RouteKey: 'GET /', Target: 'integrations/I', AuthorizationType: 'CUSTOM' },
        },
      },
    })

    expect(() => readHttpApis(template)).toThrow('Route (AWS::ApiGatewayV2::Route)')
  })
})
