import type { LocalApp } from './app.ts'

/** What runs where, and three commands that work as printed: create an order, pay it, look at it. */
export function firstScreen({ stack, simulators, merchant }: LocalApp, token: string): string {
  const orderNo = `DEMO-${Math.floor(stack.clock.now() / 1000)}`
  const authorization = `-H "authorization: Bearer $(cat .backstop/token)"`
  const order = JSON.stringify({ amount: 8800, currency: 'CNY', lines: [{ sku: 'tea', quantity: 1 }] })
  const payment = JSON.stringify({ outTradeNo: orderNo, amount: 8800, currency: 'CNY' })
  const places = [
    ['API', stack.url],
    ['AWS services', stack.gatewayUrl],
    ['DynamoDB', stack.dynamodbEndpoint],
    ['token issuer', stack.issuerUrl],
    ['merchant', merchant.url],
    ...Object.entries(simulators.urls).map(([id, url]) => [`channel ${id}`, url]),
  ]
  return `
Backstop runs on this machine. Its state is in .backstop/ and survives a stop (npm start -- --reset begins anew).

${places.map(([name, url]) => `  ${String(name).padEnd(18)} ${url}`).join('\n')}

A token of the merchant's backend (also in .backstop/token):

  ${token}

Create an order, pay it by a signed callback of the partner channel, look at its file:

  curl -X PUT ${stack.url}/orders/${orderNo} ${authorization} -H "content-type: application/json" -d '${order}'
  curl -X POST ${simulators.urls['partner']}/control/pay -H "content-type: application/json" -d '${payment}'
  curl ${stack.url}/orders/${orderNo} ${authorization}

Each change, as it happens:
`
}
