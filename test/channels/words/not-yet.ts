/**
 * Rows of docs/channels, and sample bodies, that the code does not follow yet, by kind of fault: page, section, codes. One that
 * agrees fails the tests until it leaves this list, so the list can only shrink.
 */
const GAPS: Readonly<Record<string, string>> = {
  'undone money is not heard': `
    stripe Event types: refund.created (status pending) · refund.updated (status pending) · charge.refund.updated (status pending)
    stripe Event types: refund.created (status requires_action) · refund.updated (status requires_action)
    stripe Event types: charge.refund.updated (status requires_action) · refund.updated (status failed)
    stripe Event types: refund.failed (status failed) · charge.refund.updated (status failed) · refund.updated (status canceled)
    stripe Event types: charge.refund.updated (status canceled)
    stripe samples: refund-created-pending.json · refund-failed.json
  `,
  'form and state of money that went back are not told': `
    stripe Event types: charge.refunded · refund.created (status succeeded) · refund.updated (status succeeded)
    stripe Event types: charge.refund.updated (status succeeded) · charge.dispute.created · charge.dispute.updated
    stripe Event types: charge.dispute.funds_withdrawn · charge.dispute.funds_reinstated · charge.dispute.closed (status won)
    stripe Event types: charge.dispute.closed (status lost) · charge.dispute.closed (status warning_closed)
  `,
  'a thin event asks nothing': `
    stripe Event types: * (thin, related to a payment object)
  `,
  'what is genuine and not understood is silence': `
    stripe Event types: * (thin, related to nothing) · *
  `,
  'a test of the channel counts as an event': `
    stripe Event types: v2.core.event_destination.ping
    stripe samples: thin-ping.json
  `,
  'no money counts as a payment': `
    stripe Event types: payment_intent.succeeded (amount_received 0)
    stripe Trade states: succeeded (amount_received 0)
    stripe samples: payment-intent-succeeded-zero.json
  `,
  'what can be closed is not what is closed: sessions': `
    stripe Event types: checkout.session.expired
    stripe Trade states: open (session) · complete (session) · expired (session)
    stripe Result codes of close: invalid_request_error (HTTP 400 and only open sessions can be expired)
    stripe samples: checkout-session-expired.json
  `,
  'codes and spellings that the table lacks': `
    stripe Result codes of query: parameter_invalid_integer (HTTP 400) · parameter_invalid_string_blank (HTTP 400)
    stripe Result codes of query: parameter_invalid_string_empty (HTTP 400) · parameters_exclusive (HTTP 400)
    stripe Result codes of query: livemode_mismatch (HTTP 400) · testmode_charges_only (HTTP 400)
    stripe Result codes of query: tls_version_unsupported (HTTP 400)
    stripe Result codes of close: parameter_invalid_integer (HTTP 400) · parameter_invalid_string_blank (HTTP 400)
    stripe Result codes of close: parameter_invalid_string_empty (HTTP 400) · parameters_exclusive (HTTP 400)
    stripe Result codes of close: livemode_mismatch (HTTP 400) · testmode_charges_only (HTTP 400)
    stripe Result codes of close: tls_version_unsupported (HTTP 400)
  `,
  'a key of the other mode reads as not found': `
    stripe Result codes of query: resource_missing (HTTP 404 and the message names the other mode)
    stripe Result codes of close: resource_missing (HTTP 404 and the message names the other mode)
  `,
}

const LINE = /^ +(\S+) (.+?): (.+)$/

/** Every line of the list: a page (or folder of fixtures), a heading of it without its marks (or `samples`), codes. */
export const notYetLines = Object.values(GAPS)
  .flatMap((text) => text.trimEnd().split('\n').slice(1))
  .map((line) => {
    const [, channel = '', section = '', codes = ''] = LINE.exec(line) ?? []
    return { channel, section, codes: codes.split(' · ') }
  })

export function notYet(channel: string, section: string): readonly string[] {
  return notYetLines
    .filter((line) => line.channel === channel && line.section === section)
    .flatMap(({ codes }) => codes)
}
