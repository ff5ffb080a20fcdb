import { RemovalPolicy } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { grant } from './grant.ts'

/** Callbacks as received that are too big for a row. Evidence: nothing in it is overwritten or expires. */
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
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }

  grantPut(grantee: IGrantable): void {
    grant(grantee, this.bucket.arnForObjects('*'), 's3:PutObject')
  }

  grantGet(grantee: IGrantable): void {
    grant(grantee, this.bucket.arnForObjects('*'), 's3:GetObject')
  }
}
