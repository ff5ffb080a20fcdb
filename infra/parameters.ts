import { CfnParameter, type Stack } from 'aws-cdk-lib'
import { noticeTypes } from '../modules/core/notice.ts'
import type { Stage } from './config.ts'
import type { StageConfig } from './config-schema.ts'

/** What may be decided at deploy time: addresses, which the local host sets to its own simulators. */
export interface Parameters {
  readonly deliveryUrl: CfnParameter
  readonly deliveryInterfaces: CfnParameter
  readonly notices: CfnParameter
  readonly privateOrigins: CfnParameter
  readonly channelEndpoints: CfnParameter
  readonly alarmEmail: CfnParameter
}

/** Adds the parameters to the stack, under their own names; the stage's settings are their defaults. */
export function addParameters(stack: Stack, stage: Stage, config: StageConfig): Parameters {
  return {
    deliveryUrl: new CfnParameter(stack, 'DeliveryUrl', {
      description: 'Where goods and notices are delivered to the merchant.',
      default: config.merchant.deliveryUrl,
      allowedPattern: stage === 'local' ? '^https?://[^\\s]+$' : '^https://[^\\s]+$',
      maxLength: 512,
    }),
    deliveryInterfaces: new CfnParameter(stack, 'DeliveryInterfaces', {
      description: 'JSON map of name to address, for deliveries that skus send to a webhook of a name.',
      default: JSON.stringify(config.merchant.interfaces),
      allowedPattern: '^\\{.*\\}$',
      maxLength: 1024,
    }),
    notices: new CfnParameter(stack, 'Notices', {
      description:
        'What the merchant is told of by signed webhooks: types of notices, separated by commas; empty for none.',
      default: config.merchant.notices.join(','),
      allowedPattern: `^((${noticeTypes.map((type) => type.replace('.', '\\.')).join('|')})(,|$))*$`,
      maxLength: 200,
    }),
    privateOrigins: new CfnParameter(stack, 'PrivateOrigins', {
      description: 'Exact origins, separated by commas, that may be called over http or at a private address.',
      default: config.privateOrigins.join(','),
      allowedPattern: '^(https?://[^\\s,/]+(,https?://[^\\s,/]+)*)?$',
      maxLength: 512,
    }),
    channelEndpoints: new CfnParameter(stack, 'ChannelEndpoints', {
      description: "JSON map of channel id to base address, for channels that are not called at the provider's own.",
      default: '{}',
      allowedPattern: '^\\{.*\\}$',
      maxLength: 1024,
    }),
    alarmEmail: new CfnParameter(stack, 'AlarmEmail', {
      description: 'Mail address that alarms are sent to; empty for none.',
      default: config.alarmEmail,
      allowedPattern: '^([^\\s@]+@[^\\s@]+)?$',
      maxLength: 254,
    }),
  }
}
