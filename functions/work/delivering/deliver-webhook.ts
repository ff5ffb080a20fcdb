import type { Outcome } from '../../../modules/core/outcome.ts'
import { sortNames } from '../../../modules/core/sort-names.ts'
import { type DeliveryInterface, webhookNameOf } from '../../../modules/core/stock.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import type { TaskView } from '../task-handler.ts'
import { lineNoOf } from './delivery-way.ts'

/** Sends one delivery; bound to the merchant's keys by the Lambda. */
export type SendDelivery = (delivery: {
  readonly url: string
  readonly id: string
  readonly body: string
}) => Promise<Outcome>

/** The usual webhook and the others by name. */
export interface Addresses {
  readonly url: string
  readonly webhooks: Readonly<Record<string, string>>
}

/** What the attempt says of where it went: an origin, never a path, which may hold a token. */
export function targetOf(way: DeliveryInterface, addresses: Addresses): string {
  const address = addressOf(way, addresses)
  return address === undefined ? way : new URL(address).origin
}

/** Sends a line by one of the webhooks, under the delivery's own id. */
export async function sendBy(
  way: DeliveryInterface,
  addresses: Addresses,
  send: SendDelivery,
  view: TaskView,
): Promise<Outcome> {
  const url = addressOf(way, addresses)
  if (url !== undefined) return send({ url, id: view.task.idempotencyKey, body: bodyOf(view) })
  return {
    kind: 'misconfigured',
    suspect: 'request',
    code: 'INTERFACE_NOT_CONFIGURED',
    message: 'The way of delivery has no address in DeliveryInterfaces any more. Configure it again, and deploy.',
  }
}

function addressOf(way: DeliveryInterface, { url, webhooks }: Addresses): string | undefined {
  if (way === 'card-code') return undefined
  const name = webhookNameOf(way)
  return name === undefined ? url : webhooks[name]
}

/** The same bytes in every try: the time is that of the task, not of the try. */
function bodyOf({ task, order }: TaskView): string {
  const { sku, qty: quantity } = requestOf('DELIVER', task)
  return JSON.stringify({
    type: 'order.deliver',
    timestamp: task.createdAt,
    data: {
      orderNo: task.orderNo,
      deliveryNo: task.idempotencyKey,
      line: lineNoOf(task),
      sku,
      quantity,
      ...(order?.attributes !== undefined && { attributes: sortNames(order.attributes) }),
    },
  })
}
