import { Aws, Duration, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import {
  AccountRecovery,
  FeaturePlan,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  UserPool,
  UserPoolClient,
} from 'aws-cdk-lib/aws-cognito'
import { Construct } from 'constructs'
import { type Scope, scopeDescriptions } from '../modules/http-api/scopes.ts'
import type { StageConfig } from './config-schema.ts'
import { addOutput } from './output.ts'

const RESOURCE_SERVER = 'backstop'

/** A scope as a token names it. */
export const scopeOf = (scope: Scope): string => `${RESOURCE_SERVER}/${scope}`

/**
 * Who may call: tokens of our own user pool, or of the issuer that the merchant has already. Routes name their scopes in
 * either case, since that alone tells an access token from an identity token.
 */
export class Identity extends Construct {
  readonly authorizer: IHttpRouteAuthorizer

  constructor(scope: Construct, id: string, { auth, deletionProtection }: StageConfig) {
    super(scope, id)
    const { issuer, audience } = auth.kind === 'oidc' ? auth : addUserPool(this, deletionProtection)
    this.authorizer = new HttpJwtAuthorizer('Jwt', issuer, { jwtAudience: [audience] })
  }
}

function addUserPool(scope: Construct, deletionProtection: boolean): { issuer: string; audience: string } {
  const pool = new UserPool(scope, 'Users', {
    featurePlan: FeaturePlan.ESSENTIALS,
    selfSignUpEnabled: false,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.REQUIRED,
    mfaSecondFactor: { otp: true, sms: false },
    passwordPolicy: {
      minLength: 14,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
    },
    deletionProtection,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  Validations.of(pool).acknowledge({
    id: 'AwsSolutions-COG8',
    reason:
      "Its tokens are for the merchant's own servers and few people, who need a second factor; the plus plan adds only risk scores of sign-ins, at a price per user.",
  })
  const allowed = Object.entries(scopeDescriptions).map(
    ([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription }),
  )
  const server = pool.addResourceServer('Server', { identifier: RESOURCE_SERVER, scopes: allowed })
  const merchant = new UserPoolClient(scope, 'Merchant', {
    userPool: pool,
    generateSecret: true,
    oAuth: {
      flows: { clientCredentials: true },
      scopes: allowed.map((scope) => OAuthScope.resourceServer(server, scope)),
    },
    accessTokenValidity: Duration.hours(1),
    enableTokenRevocation: true,
    preventUserExistenceErrors: true,
  })
  // A prefix is unique in its Region among all accounts; the stack's own id makes it so without a setting.
  const stackUuid = Fn.select(2, Fn.split('/', Aws.STACK_ID))
  const domain = pool.addDomain('Domain', {
    cognitoDomain: { domainPrefix: Fn.join('-', [RESOURCE_SERVER, Fn.select(0, Fn.split('-', stackUuid))]) },
  })
  addOutput(scope, 'TokenUrl', `${domain.baseUrl()}/oauth2/token`)
  addOutput(scope, 'MerchantClientId', merchant.userPoolClientId)
  return { issuer: pool.userPoolProviderUrl, audience: merchant.userPoolClientId }
}
