import { CfnParameter } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { noticeTypes } from '../modules/core/notice.ts'
import type { StageConfig } from './config-schema.ts'
import { parameterDefaults, parameterLengths } from './parameter-values.ts'

/** What may be decided at deploy time: addresses, which the local host sets to its own simulators. */
export interface Parameters {
  readonly deliveryUrl: CfnParameter
  readonly deliveryInterfaces: CfnParameter
  readonly notices: CfnParameter
  readonly privateOrigins: CfnParameter
  readonly channelEndpoints: CfnParameter
  readonly alarmEmail: CfnParameter
}

/** Adds the parameters to the stack around `scope`, under their own names; the stage's settings are their defaults. */
export function addParameters(scope: Construct, config: StageConfig): Parameters {
  const texts = parameterDefaults(config)
  const add = (name: keyof typeof parameterLengths, description: string, allowedPattern: string): CfnParameter => {
    const parameter = new CfnParameter(scope, `Parameter${name}`, {
      description,
      default: texts[name],
      allowedPattern,
      maxLength: parameterLengths[name],
    })
    parameter.overrideLogicalId(name)
    return parameter
  }
  return {
    deliveryUrl: add(
      'DeliveryUrl',
      'Where goods and notices are delivered to the merchant.',
      config.stage === 'local' ? '^https?://[^\\s]+$' : '^https://[^\\s]+$',
    ),
    deliveryInterfaces: add(
      'DeliveryInterfaces',
      'JSON map of name to address, for deliveries that skus send to a webhook of a name.',
      mapOfAddresses(config.stage),
    ),
    notices: add(
      'Notices',
      'What the merchant is told of by signed webhooks: types of notices, separated by commas; empty for none.',
      `^((${noticeTypes.map((type) => type.replace('.', '\\.')).join('|')})(,|$))*$`,
    ),
    privateOrigins: add(
      'PrivateOrigins',
      'Exact origins, separated by commas, that may be called over http or at a private address.',
      '^(https?://[^\\s,/]+(,https?://[^\\s,/]+)*)?$',
    ),
    channelEndpoints: add(
      'ChannelEndpoints',
      "JSON map of channel id to base address, for channels that are not called at the provider's own.",
      mapOfAddresses(config.stage),
    ),
    alarmEmail: add('AlarmEmail', 'Mail address that alarms are sent to; empty for none.', '^([^\\s@]+@[^\\s@]+)?$'),
  }
}

/** A JSON map of name to address; only the local host may name plain ones. */
function mapOfAddresses(stage: StageConfig['stage']): string {
  const address = stage === 'local' ? 'https?' : 'https'
  const pair = `\\s*"[^"]+"\\s*:\\s*"${address}://[^"\\s]+"\\s*`
  return `^\\{(${pair}(,${pair})*|\\s*)\\}$`
}
