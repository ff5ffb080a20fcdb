import { accessLogLine } from '../../infra/http-api.ts'

/** What API Gateway puts in for a request that went well, as long as it usually is. Assumed; "-" is documented for what there is not. */
const usual: Readonly<Record<string, string>> = {
  '$context.requestId': 'AbCdEfGhIjKlMnQ=',
  '$context.identity.sourceIp': '203.0.113.113',
  '$context.status': '200',
  '$context.responseLength': '512',
  '$context.responseLatency': '48',
  '$context.integrationLatency': '46',
  '$context.integrationErrorMessage': '-',
  '$context.authorizer.error': '-',
}
const usualParameters: Readonly<Record<string, string>> = { channel: 'wechatpay', orderNo: 'SO202611300001' }

/**
 * Bytes of the API's access log for one request.
 * @param routeKey such as `POST /callbacks/{channel}`
 * @throws RangeError on a variable of the format that has no usual value here
 */
export function accessLogBytes(routeKey: string): number {
  const path = (routeKey.split(' ')[1] ?? '').replaceAll(
    /\{(\w+)\}/g,
    (_, name) => usualParameters[name] ?? 'x'.repeat(16),
  )
  const values: Readonly<Record<string, string>> = { ...usual, '$context.routeKey': routeKey, '$context.path': path }
  const line = accessLogLine.replaceAll(/\$[\w.]+/g, (variable) => {
    const value = values[variable]
    if (value === undefined) throw new RangeError(`bench/cost/access-log.ts does not know how long ${variable} is.`)
    return value
  })
  return Buffer.byteLength(line)
}
