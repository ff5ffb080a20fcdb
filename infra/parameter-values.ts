import { noticeTypes } from '../modules/core/notice.ts'
import type { StageConfig } from './config-schema.ts'

/**
 * Most characters of each, also of its setting. Together small, since a function's environment must hold the longest values that may
 * be given, and not just the ones at the time of the synth.
 */
export const parameterLengths = {
  DeliveryUrl: 256,
  DeliveryInterfaces: 384,
  Notices: noticeTypes.join(',').length,
  PrivateOrigins: 128,
  ChannelEndpoints: 384,
  AlarmEmail: 254,
} as const

/** Settings that CloudFormation would refuse as defaults of their parameters. @returns one sentence each */
export function checkParameterLengths(config: StageConfig): string[] {
  const texts = parameterDefaults(config)
  const settings = [
    ['DeliveryUrl', 'merchant.deliveryUrl'],
    ['DeliveryInterfaces', 'merchant.interfaces'],
    ['Notices', 'merchant.notices'],
    ['PrivateOrigins', 'privateOrigins'],
    ['AlarmEmail', 'alarmEmail'],
  ] as const
  return settings.flatMap(([name, setting]) => {
    const [length, most] = [texts[name].length, parameterLengths[name]]
    return length <= most
      ? []
      : [`${setting}: has ${length} characters as the parameter ${name}, and ${most} are allowed.`]
  })
}

/** The settings in the form of their parameters. */
export function parameterDefaults({ merchant, privateOrigins, alarmEmail }: StageConfig) {
  return {
    DeliveryUrl: merchant.deliveryUrl,
    DeliveryInterfaces: JSON.stringify(merchant.interfaces),
    Notices: merchant.notices.join(','),
    PrivateOrigins: privateOrigins.join(','),
    ChannelEndpoints: '{}',
    AlarmEmail: alarmEmail,
  } as const
}
