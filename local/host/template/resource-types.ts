/** Resource types that the local host runs, or reads while it builds another resource. */
const RUN: ReadonlySet<string> = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolGroup',
  'AWS::Cognito::UserPoolResourceServer',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
])

/**
 * Resource types without a meaning on one machine: permissions, encryption, watching and CDK's own bookkeeping.
 * What they protect is checked by the tests of the template, not by running it.
 */
const WITHOUT_LOCAL_MEANING: ReadonlySet<string> = new Set([
  'AWS::ApplicationInsights::Application',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::Backup::BackupVault',
  'AWS::Budgets::Budget',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::AlarmMuteRule',
  'AWS::CloudWatch::AnomalyDetector',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::Logs::ResourcePolicy',
  'AWS::Logs::SubscriptionFilter',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SecretsManager::ResourcePolicy',
  'Custom::LogRetention',
  'Custom::S3AutoDeleteObjects',
])

/** What the local host does with a resource type: `unknown` means that the template cannot be run here. */
export function classifyType(type: string): 'run' | 'without local meaning' | 'unknown' {
  if (RUN.has(type)) return 'run'
  return WITHOUT_LOCAL_MEANING.has(type) ? 'without local meaning' : 'unknown'
}
