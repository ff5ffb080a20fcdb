import { DomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager'
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets'
import { Construct } from 'constructs'
import type { StageConfig } from './config-schema.ts'

type DomainSettings = NonNullable<StageConfig['domain']>

/**
 * A name of the merchant's own for the API. Its certificate is his, or made here and proved in his zone; the zone then also points
 * the name at the API.
 */
export class ApiDomain extends Construct {
  readonly domainName: DomainName

  constructor(scope: Construct, id: string, { name, certificateArn, hostedZone }: DomainSettings) {
    super(scope, id)
    const zone =
      hostedZone === undefined
        ? undefined
        : HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: hostedZone.id, zoneName: hostedZone.name })
    const certificate =
      certificateArn === undefined
        ? new Certificate(this, 'Certificate', { domainName: name, validation: CertificateValidation.fromDns(zone) })
        : Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
    this.domainName = new DomainName(this, 'Name', { domainName: name, certificate })
    if (zone !== undefined) this.#pointAt(zone, name)
  }

  #pointAt(zone: IHostedZone, recordName: string): void {
    const { regionalDomainName, regionalHostedZoneId } = this.domainName
    const alias = new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId)
    // With a dot at its end the name is whole, and the zone's is not put behind it once more.
    new ARecord(this, 'Address', { zone, recordName: `${recordName}.`, target: RecordTarget.fromAlias(alias) })
  }
}
