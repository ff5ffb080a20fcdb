import { z } from 'zod'
import { noBody, nothing, type RouteSpec } from '../../modules/http-api/route-spec.ts'
import { replayNoticesBody } from './notice-schemas.ts'
import { addChannelRefBody, getOrderQuery, orderNo, outTradeNo, putOrderBody, startPayAttemptBody } from './schemas.ts'
import { orderCodesView } from './stock-schemas.ts'
import { orderTasksView } from './task-schemas.ts'
import { orderFileView, orderWithLinesView, payAttemptView } from './view-schemas.ts'

const orderPath = z.object({ orderNo })
const paymentPath = z.object({ orderNo, outTradeNo })
const location = 'Path of what was created.'

export const orderRoutes = {
  putOrder: {
    method: 'PUT',
    path: '/orders/{orderNo}',
    scope: 'orders.write',
    tag: 'orders',
    summary: 'Have an order watched',
    description:
      'Creates the order and reserves its goods. The same content again is the same order and answered 200; other content under the number is refused.',
    params: orderPath,
    query: nothing,
    body: putOrderBody,
    answers: {
      200: { description: 'The order was there already, with this content.', schema: orderWithLinesView },
      201: { description: 'The order was created.', schema: orderWithLinesView, headers: { location } },
    },
    problems: ['ORDER_CONTENT_DIFFERS', 'OUT_OF_STOCK'],
  },
  getOrder: {
    method: 'GET',
    path: '/orders/{orderNo}',
    scope: 'orders.read',
    tag: 'orders',
    summary: "Read an order's file",
    description: 'Everything known of the order, in pages: each row is on exactly one page, the order itself on all.',
    params: orderPath,
    query: getOrderQuery,
    body: noBody,
    answers: { 200: { description: 'The file, or a page of it.', schema: orderFileView } },
    problems: ['ORDER_NOT_FOUND'],
  },
  startPayAttempt: {
    method: 'POST',
    path: '/orders/{orderNo}/pay-attempts',
    scope: 'orders.write',
    tag: 'orders',
    summary: 'Announce a try to pay',
    description:
      'Called before the channel is called; answers under which outTradeNo to call it. With an outTradeNo the same request again is the same try; without one each request is a new try.',
    params: orderPath,
    query: nothing,
    body: startPayAttemptBody,
    answers: {
      200: { description: 'The try was there already, with this content.', schema: payAttemptView },
      201: { description: 'The try is watched from now on.', schema: payAttemptView, headers: { location } },
    },
    problems: [
      'ORDER_NOT_FOUND',
      'ORDER_NOT_PAYABLE',
      'ORDER_CLOSING',
      'OUT_TRADE_NO_TAKEN',
      'PAY_ATTEMPT_DIFFERS',
      'TOO_MANY_PAY_ATTEMPTS',
    ],
  },
  addChannelRef: {
    method: 'PATCH',
    path: '/orders/{orderNo}/pay-attempts/{outTradeNo}',
    scope: 'orders.write',
    tag: 'orders',
    summary: "Keep the channel's number of a try",
    description: 'Set once, after the channel was called; the same again changes nothing.',
    params: paymentPath,
    query: nothing,
    body: addChannelRefBody,
    answers: { 200: { description: 'The try with its channelRef.', schema: payAttemptView } },
    problems: ['PAY_ATTEMPT_NOT_FOUND', 'CHANNEL_REF_DIFFERS'],
  },
  closeOrder: {
    method: 'POST',
    path: '/orders/{orderNo}/close',
    scope: 'orders.write',
    tag: 'orders',
    summary: 'Close an order that the buyer gave up',
    description:
      'Has CLOSE_ORDER done now instead of at closeAt. It asks the channels first and closes only what is not paid; look at the order for the result.',
    params: orderPath,
    query: nothing,
    body: noBody,
    answers: {
      200: { description: 'The order is closed already.', schema: orderTasksView },
      202: { description: 'CLOSE_ORDER is done now.', schema: orderTasksView },
    },
    problems: ['ORDER_NOT_FOUND', 'ORDER_NOT_PAYABLE', 'TASK_ENDED', 'TASK_MANUAL'],
  },
  refreshOrder: {
    method: 'POST',
    path: '/orders/{orderNo}/refresh',
    scope: 'orders.write',
    tag: 'orders',
    summary: 'Ask the channels now',
    description:
      'For the moment when the buyer is back from the cashier: QUERY_PAYMENT of each open try is done now instead of at its next time. What has ended, is in work or waits for a person stays as it is.',
    params: orderPath,
    query: nothing,
    body: noBody,
    answers: { 202: { description: 'The order and the query of each open try.', schema: orderTasksView } },
    problems: ['ORDER_NOT_FOUND'],
  },
  replayNotices: {
    method: 'POST',
    path: '/orders/{orderNo}/notices/replay',
    scope: 'orders.write',
    tag: 'orders',
    summary: 'Be told again',
    description:
      "Sends the order's notices once more, from a number on, at most 40 at once: those that still wait are sent now, those that have ended again, with the webhook-id and the bytes that they had.",
    params: orderPath,
    query: nothing,
    body: replayNoticesBody,
    answers: { 202: { description: 'The order and the task of each notice.', schema: orderTasksView } },
    problems: ['ORDER_NOT_FOUND'],
  },
  getCodes: {
    method: 'GET',
    path: '/orders/{orderNo}/codes',
    scope: 'codes.read',
    tag: 'stock',
    summary: "Read an order's codes",
    description: 'The codes of delivered lines in plain text, for the merchant to show to the buyer.',
    params: orderPath,
    query: nothing,
    body: noBody,
    answers: { 200: { description: 'The codes by line.', schema: orderCodesView } },
    problems: ['ORDER_NOT_FOUND', 'CODE_UNREADABLE'],
  },
} as const satisfies Record<string, RouteSpec>
