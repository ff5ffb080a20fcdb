import { TemplateError } from './errors.ts'
import { classifyType } from './resource-types.ts'

/** Where the stack runs; the parts of every ARN and address. */
export interface Places {
  region: string
  accountId: string
  /** Base address of the SQS endpoint, without a slash at the end. */
  queueBaseUrl: string
  /** Base address of the HTTP API, without a slash at the end. */
  apiUrl: string
}

/** What `Ref` and `Fn::GetAtt` give for one resource. */
export interface Identity {
  ref: string
  attributes: Record<string, string>
}

interface Named {
  logicalId: string
  /** The name that the template gives, if it gives one. */
  name: string | undefined
  places: Places
  arn(service: string, resource: string): string
}

/** The property that names a resource of this type; without it the logical id is the name. */
const NAME_PROPERTY: Record<string, string> = {
  'AWS::ApiGatewayV2::Stage': 'StageName',
  'AWS::Cognito::UserPoolGroup': 'GroupName',
  'AWS::Cognito::UserPoolResourceServer': 'Identifier',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::Scheduler::ScheduleGroup': 'Name',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
}

/** The property of a resource type that holds its physical name, `undefined` when it has none. */
export function namePropertyOf(type: string): string | undefined {
  return NAME_PROPERTY[type]
}

/** Physical name and attributes of a resource, derived from the template alone, so that they survive a restart. */
export function identifyResource(type: string, logicalId: string, name: string | undefined, places: Places): Identity {
  const arn = (service: string, resource: string) =>
    `arn:aws:${service}:${places.region}:${places.accountId}:${resource}`
  const identity = IDENTITIES[type]?.({ logicalId, name, places, arn })
  if (identity !== undefined) return identity
  return { ref: name ?? logicalId, attributes: {} }
}

/**
 * One attribute of a resource.
 * @throws TemplateError for an attribute that the local host does not know
 */
export function readAttribute(type: string, logicalId: string, identity: Identity, attribute: string): string {
  const known = identity.attributes[attribute]
  if (known !== undefined) return known
  // Nobody reads these here, but other resources name them.
  if (classifyType(type) === 'without local meaning') return `arn:aws:local:::${logicalId}/${attribute}`
  throw new TemplateError(`${logicalId} (${type}) has no attribute ${attribute} on this machine.`)
}

const identifyTable = ({ logicalId, name, arn }: Named): Identity => {
  const tableName = name ?? logicalId
  const tableArn = arn('dynamodb', `table/${tableName}`)
  return {
    ref: tableName,
    attributes: { Arn: tableArn, StreamArn: `${tableArn}/stream/local`, TableId: tableName },
  }
}

const IDENTITIES: Record<string, (named: Named) => Identity> = {
  'AWS::ApiGatewayV2::Api': ({ logicalId, places }) => ({
    ref: logicalId,
    attributes: { ApiEndpoint: places.apiUrl, ApiId: logicalId },
  }),
  'AWS::Cognito::UserPool': ({ logicalId, places, arn }) => {
    const id = `${places.region}_${logicalId}`
    const provider = `cognito-idp.${places.region}.amazonaws.com/${id}`
    return {
      ref: id,
      attributes: {
        Arn: arn('cognito-idp', `userpool/${id}`),
        ProviderName: provider,
        ProviderURL: `https://${provider}`,
        UserPoolId: id,
      },
    }
  },
  'AWS::Cognito::UserPoolClient': ({ logicalId }) => ({ ref: logicalId, attributes: { ClientId: logicalId } }),
  'AWS::DynamoDB::GlobalTable': identifyTable,
  'AWS::DynamoDB::Table': identifyTable,
  // Nobody checks it here, but it is passed on in calls whose shape is checked.
  'AWS::IAM::Role': ({ logicalId, places }) => ({
    ref: logicalId,
    attributes: { Arn: `arn:aws:iam::${places.accountId}:role/${logicalId}` },
  }),
  'AWS::Events::EventBus': ({ logicalId, name = logicalId, arn }) => ({
    ref: name,
    attributes: { Arn: arn('events', `event-bus/${name}`), Name: name },
  }),
  'AWS::Events::Rule': ({ logicalId, name = logicalId, arn }) => ({
    ref: name,
    attributes: { Arn: arn('events', `rule/${name}`) },
  }),
  'AWS::Lambda::Function': ({ logicalId, name = logicalId, arn }) => ({
    ref: name,
    attributes: { Arn: arn('lambda', `function:${name}`) },
  }),
  'AWS::S3::Bucket': ({ logicalId, name = logicalId.toLowerCase() }) => ({
    ref: name,
    attributes: { Arn: `arn:aws:s3:::${name}`, DomainName: `${name}.s3.amazonaws.com` },
  }),
  'AWS::SNS::Topic': ({ logicalId, name = logicalId, arn }) => ({
    ref: arn('sns', name),
    attributes: { TopicArn: arn('sns', name), TopicName: name },
  }),
  'AWS::SQS::Queue': ({ logicalId, name = logicalId, places, arn }) => {
    const url = `${places.queueBaseUrl}/${places.accountId}/${name}`
    return { ref: url, attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: url } }
  },
  'AWS::Scheduler::Schedule': ({ logicalId, name = logicalId, arn }) => ({
    ref: name,
    attributes: { Arn: arn('scheduler', `schedule/default/${name}`) },
  }),
  'AWS::Scheduler::ScheduleGroup': ({ logicalId, name = logicalId, arn }) => ({
    ref: name,
    attributes: { Arn: arn('scheduler', `schedule-group/${name}`) },
  }),
  'AWS::SecretsManager::Secret': ({ logicalId, name = logicalId, arn }) => ({
    ref: arn('secretsmanager', `secret:${name}`),
    attributes: { Id: arn('secretsmanager', `secret:${name}`) },
  }),
  'AWS::StepFunctions::StateMachine': ({ logicalId, name = logicalId, arn }) => {
    const machineArn = arn('states', `stateMachine:${name}`)
    return { ref: machineArn, attributes: { Arn: machineArn, Name: name } }
  },
}
