import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { ChannelAccount } from '../modules/channels/account.ts'
import type { StageConfig } from './config-schema.ts'
import { grant } from './grant.ts'

interface ChannelSecret {
  readonly id: string
  readonly kind: ChannelAccount['kind']
  readonly arn: string
}

/**
 * One secret per channel and one for what we sign to the merchant. They are made empty: a person fills them, a deploy never writes
 * them (one function brings WeChat Pay's certificates), and a function that reads an empty one fails by name. The one for card codes
 * is ours: only the first deploy writes its key.
 */
export class Secrets extends Construct {
  readonly merchantArn: string
  readonly codeKeysArn: string
  /** JSON map of channel id to the ARN of its secret, for the setting CHANNEL_SECRETS. */
  readonly channelArnsJson: string
  readonly #channels: readonly ChannelSecret[]

  constructor(scope: Construct, id: string, channels: StageConfig['channels']) {
    super(scope, id)
    this.#channels = channels.map(({ account }) => ({
      id: account.id,
      kind: account.kind,
      arn: addSecret(this, `Channel-${account.id}`, {
        description: `Backstop: keys of the ${account.kind} channel ${account.id}`,
        notRotated: 'The channel issues these keys: a person changes them there first, and the secret then holds both.',
      }),
    }))
    this.merchantArn = addSecret(this, 'Merchant', {
      description: 'Backstop: keys that sign deliveries and notices to the merchant',
      notRotated: 'The merchant checks signatures: he must know a new key before it signs, which no timer can see to.',
    })
    this.codeKeysArn = addGeneratedSecret(this, 'CodeKeys', 'Backstop: keys that card codes are encrypted with')
    this.channelArnsJson = this.#arnsJson(this.#channels)
  }

  /** As `channelArnsJson`, of the channels of one kind. */
  arnsJsonOf(kind: ChannelSecret['kind']): string {
    return this.#arnsJson(this.#ofKind(kind))
  }

  grantReadChannels(grantee: IGrantable): void {
    grant(grantee, arnsOf(this.#channels), 'secretsmanager:GetSecretValue')
  }

  /** Lets a function read and write the secrets of the channels of one kind, at least one. */
  grantRefresh(grantee: IGrantable, kind: ChannelSecret['kind']): void {
    grant(grantee, arnsOf(this.#ofKind(kind)), 'secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue')
  }

  grantReadMerchant(grantee: IGrantable): void {
    grant(grantee, this.merchantArn, 'secretsmanager:GetSecretValue')
  }

  grantReadCodeKeys(grantee: IGrantable): void {
    grant(grantee, this.codeKeysArn, 'secretsmanager:GetSecretValue')
  }

  #ofKind(kind: ChannelSecret['kind']): readonly ChannelSecret[] {
    return this.#channels.filter((channel) => channel.kind === kind)
  }

  #arnsJson(channels: readonly ChannelSecret[]): string {
    return Stack.of(this).toJsonString(Object.fromEntries(channels.map(({ id, arn }) => [id, arn])))
  }
}

function arnsOf(channels: readonly ChannelSecret[]): readonly string[] {
  return channels.map(({ arn }) => arn)
}

/** In the form that `modules/codes/code-keys.ts` reads. Changed here, a later deploy would generate another key. */
function addGeneratedSecret(scope: Construct, id: string, description: string): string {
  const secret = new CfnSecret(scope, id, {
    description,
    generateSecretString: {
      secretStringTemplate: '{"id":"k1","previous":[]}',
      generateStringKey: 'key',
      passwordLength: 64,
      excludePunctuation: true,
    },
  })
  acknowledgeNoRotation(
    secret,
    'Stored codes are encrypted by this key: a new one is put before it by a person, the old one stays.',
  )
  secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
  return secret.ref
}

function addSecret(
  scope: Construct,
  id: string,
  { description, notRotated }: { description: string; notRotated: string },
): string {
  const secret = new CfnSecret(scope, id, { description })
  acknowledgeNoRotation(secret, notRotated)
  secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
  return secret.ref
}

function acknowledgeNoRotation(secret: CfnSecret, reason: string): void {
  Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason })
}
