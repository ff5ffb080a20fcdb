const fn = (entry: string, variables: object, more: object = {}) => ({
  Type: 'AWS::Lambda::Function',
  Metadata: { 'backstop:entry': `handlers/${entry}.ts`, 'aws:cdk:path': `Chain/${entry}/Function/Resource` },
  Properties: {
    Handler: 'index.handler',
    Timeout: 10,
    MemorySize: 256,
    Environment: { Variables: variables },
    ...more,
  },
})
const getArn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] })
const route = (routeKey: string, more: object = {}) => ({
  Type: 'AWS::ApiGatewayV2::Route',
  Properties: {
    ApiId: { Ref: 'Api' },
    RouteKey: routeKey,
    Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'ReceiveIntegration' }]] },
    ...more,
  },
})

/** HTTP → queue → table → stream → schedule → the same queue; beside it a rule each minute. */
export const chainTemplate = {
  Resources: {
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP', Name: 'chain' } },
    ReceiveIntegration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: { Ref: 'Api' },
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: getArn('Receive'),
        PayloadFormatVersion: '2.0',
      },
    },
    PostRoute: route('POST /messages/{kind}'),
    EchoRoute: route('ANY /echo'),
    FailRoute: route('POST /fail'),
    OwnRoute: route('GET /own', {
      AuthorizationType: 'JWT',
      AuthorizerId: { Ref: 'Jwt' },
      AuthorizationScopes: ['chain/read'],
    }),
    Jwt: {
      Type: 'AWS::ApiGatewayV2::Authorizer',
      Properties: {
        ApiId: { Ref: 'Api' },
        AuthorizerType: 'JWT',
        JwtConfiguration: {
          Audience: [{ Ref: 'Client' }],
          Issuer: {
            'Fn::Join': ['', ['https://cognito-idp.', { Ref: 'AWS::Region' }, '.amazonaws.com/', { Ref: 'Users' }]],
          },
        },
      },
    },
    Users: { Type: 'AWS::Cognito::UserPool', Properties: {} },
    Client: {
      Type: 'AWS::Cognito::UserPoolClient',
      Properties: { UserPoolId: { Ref: 'Users' }, AllowedOAuthScopes: ['chain/read'] },
    },
    Receive: fn('receive', { QUEUE_URL: { Ref: 'Queue' } }),
    Store: fn('store', { TABLE: { Ref: 'Table' } }),
    Follow: fn('follow', { GROUP: { Ref: 'Group' }, QUEUE_ARN: getArn('Queue') }),
    Tick: fn('tick', {}),
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: 60,
        RedrivePolicy: { deadLetterTargetArn: getArn('DeadLetters'), maxReceiveCount: 3 },
      },
    },
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
    Losses: { Type: 'AWS::SQS::Queue', Properties: {} },
    Table: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Metadata: { 'aws:cdk:path': 'Chain/Items/Table/Resource' },
      Properties: {
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    },
    Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'chain' } },
    StoreMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: { Ref: 'Store' },
        EventSourceArn: getArn('Queue'),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    FollowMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: { Ref: 'Follow' },
        EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 1,
        DestinationConfig: { OnFailure: { Destination: getArn('Losses') } },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: {
          Filters: [{ Pattern: '{"eventName":["INSERT"],"dynamodb":{"NewImage":{"pk":{"S":[{"exists":true}]}}}}' }],
        },
      },
    },
    EachMinute: {
      Type: 'AWS::Events::Rule',
      Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Arn: getArn('Tick'), Id: 'Tick' }] },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: {} },
  },
  Outputs: { ApiUrl: { Value: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] } } },
}
