import { RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { grantPattern } from './grant.ts'

const NAMED_LATER =
  'An object is named by the digest of its callback, or by a message: no name is known before it comes.'

/**
 * Callbacks as received that are too big for a row, and messages that the ledger did not take. Evidence: nothing in it is
 * overwritten or expires.
 */
export class RawBucket extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        "Who read evidence is told by CloudTrail's data events, which the account decides on; an access log would be a second bucket that names it.",
    })
  }

  grantPut(grantee: IGrantable): void {
    grantPattern(grantee, this.bucket.arnForObjects('*'), NAMED_LATER, 's3:PutObject')
  }

  grantGet(grantee: IGrantable): void {
    grantPattern(grantee, this.bucket.arnForObjects('*'), NAMED_LATER, 's3:GetObject')
  }
}
