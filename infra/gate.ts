import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { StageConfig } from './config-schema.ts'
import { grant } from './grant.ts'

/** Rate and breaker of each lane (docs/design/keys-and-rows.md). A table of its own, so that its hot items never meet a transaction. */
export class Gate extends Construct {
  readonly table: TableV2

  constructor(scope: Construct, id: string, { deletionProtection }: Pick<StageConfig, 'deletionProtection'>) {
    super(scope, id)
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'lane', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
  }

  grantTake(grantee: IGrantable): void {
    grant(grantee, this.table.tableArn, 'dynamodb:GetItem', 'dynamodb:UpdateItem')
  }

  /** For whoever tells of all gates at once and passes none. */
  grantLook(grantee: IGrantable): void {
    grant(grantee, this.table.tableArn, 'dynamodb:BatchGetItem')
  }
}
