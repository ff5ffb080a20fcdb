import { type Finding, fault, findSafely, notChecked, ok } from './finding.ts'
import type { Target } from './target.ts'

/** Channels refuse signatures that are minutes off; ours is well below, and the header has whole seconds. */
const MOST_SKEW_MS = 5_000
const TIMEOUT_MS = 10_000
/** Nobody's order: reading it is refused without a token, and finds nothing with one. */
const PROBE = '/orders/DOCTOR-PROBE'

/** The address answers, has our time, keeps out who has no token and lets in who has one. */
export async function checkApi({ outputs, token }: Target): Promise<Finding[]> {
  const url = outputs['ApiUrl'] ?? ''
  const hint = 'is the stack running, and the address right?'
  return Promise.all([
    findSafely('clock', hint, () => checkClock(url)),
    findSafely('API without a token', hint, () => checkRefusal(url)),
    findSafely('API with a token', hint, () => checkAcceptance(url, token)),
  ])
}

const get = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })

async function checkClock(url: string): Promise<Finding> {
  const sentMs = Date.now()
  const response = await get(`${url}${PROBE}`)
  const middleMs = (sentMs + Date.now()) / 2
  const theirMs = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(theirMs)) return notChecked('clock', 'the API tells no time')
  const skewMs = Math.abs(theirMs + 500 - middleMs)
  const seen = `${Math.round(skewMs / 1000)} s between the API and this machine`
  return skewMs > MOST_SKEW_MS ? fault('clock', seen, 'set this machine by NTP; AWS is') : ok('clock', seen)
}

async function checkRefusal(url: string): Promise<Finding> {
  const { status } = await get(`${url}${PROBE}`)
  const about = 'API without a token'
  if (status === 401) return ok(about, 'refused')
  return fault(
    about,
    `answered ${status} instead of 401`,
    'look at the authorizer of the routes; take the API off the net',
  )
}

async function checkAcceptance(url: string, token: string | undefined): Promise<Finding> {
  const about = 'API with a token'
  if (token === undefined) return notChecked(about, 'no token at hand', 'docs/guide.md shows how to get one')
  const { status } = await get(`${url}${PROBE}`, { authorization: `Bearer ${token}` })
  if (status === 200 || status === 404) return ok(about, 'taken')
  if (status === 401 || status === 403) {
    return fault(about, `refused with ${status}`, 'start again for a new token; compare issuer, audience and scopes')
  }
  return fault(about, `answered ${status}`, 'look at the log of orders')
}
