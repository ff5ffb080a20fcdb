import { expect, it } from 'vitest'
import { atEndpoints, EndpointError } from '../../modules/channels/at-endpoints.ts'
import { aChannel } from '../support/core-builders.ts'

const paypal = { id: aChannel('paypal'), kind: 'paypal', webhookId: 'WH-1', sandbox: true } as const
const adyen = { id: aChannel('adyen'), kind: 'adyen', merchantAccounts: ['Shop'], live: true } as const

it('an account whose channel is named is reached there, whatever its own address says', () => {
  const accounts = [{ ...adyen, apiBase: 'https://prefix.example.com/checkout' }, paypal]

  const reached = atEndpoints(accounts, { adyen: 'http://127.0.0.1:4000', unknown: 'http://127.0.0.1:4001' })

  expect(reached).toEqual([{ ...adyen, apiBase: 'http://127.0.0.1:4000' }, paypal])
})

it('a channel that is called like a property of every object has no address by that', () => {
  const account = { ...paypal, id: aChannel('constructor') }

  expect(atEndpoints([account], {})).toEqual([account])
})

it.each([
  'http://api.example.com',
  'http://10.0.0.5:8080',
  'http://127.0.0.1.example.com',
  'ftp://127.0.0.1',
  'api.example.com',
])('an endpoint that is not https is refused unless it is on this machine: %s', (address) => {
  expect(() => atEndpoints([paypal], { paypal: address })).toThrow(EndpointError)
})
