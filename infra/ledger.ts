import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { StageConfig } from './config-schema.ts'
import { grant, grantPattern } from './grant.ts'

const key = (name: string) => ({ name, type: AttributeType.STRING })

type ItemAction = 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'ConditionCheckItem'

/**
 * The one table of business state (docs/design/keys-and-rows.md). Its two indexes are there from the first release and for ever: one
 * deploy may change one index of a table only.
 */
export class Ledger extends Construct {
  readonly table: TableV2
  readonly streamArn: string

  constructor(scope: Construct, id: string, { deletionProtection }: Pick<StageConfig, 'deletionProtection'>) {
    super(scope, id)
    this.table = new TableV2(this, 'Table', {
      partitionKey: key('pk'),
      sortKey: key('sk'),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAtS',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      globalSecondaryIndexes: [
        // duePk is one of 16 shards by hash of pk, never a status: open tasks do not share a partition.
        {
          indexName: 'due',
          partitionKey: key('duePk'),
          sortKey: key('dueAt'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
        {
          indexName: 'find',
          partitionKey: key('findPk'),
          sortKey: key('findSk'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    })
    if (this.table.tableStreamArn === undefined) throw new TypeError('The ledger table has no stream.')
    this.streamArn = this.table.tableStreamArn
  }

  /** Single items and the collection of one order; a transaction needs the actions of its parts. */
  grantItems(grantee: IGrantable, ...actions: ItemAction[]): void {
    grant(grantee, this.table.tableArn, ...actions.map((action) => `dynamodb:${action}`))
  }

  /** For rows that move: an orphan payment that has found its order, a code that is bound; put there by the same transaction. */
  grantDeleteInTransaction(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:DeleteItem'],
      resourceArns: [this.table.tableArn],
      conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] } },
    }).assertSuccess()
  }

  grantQueryDue(grantee: IGrantable): void {
    grant(grantee, `${this.table.tableArn}/index/due`, 'dynamodb:Query')
  }

  grantQueryFind(grantee: IGrantable): void {
    grant(grantee, `${this.table.tableArn}/index/find`, 'dynamodb:Query')
  }

  grantStream(grantee: IGrantable): void {
    grant(grantee, this.streamArn, 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator')
    const reason = 'Listing has no narrower resource than all streams of the one table.'
    grantPattern(grantee, `${this.table.tableArn}/stream/*`, reason, 'dynamodb:ListStreams')
  }
}
