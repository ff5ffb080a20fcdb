import type { CodeMeaning, CodeTable } from '../refusal.ts'

/** A twin of the same call is under way. Source: docs/channels/adyen.md, Result codes of close */
export const ADYEN_TWIN = '704'

/** By `errorType`. Credentials and permission are 401 and 403, whatever they say. Source: docs/channels/adyen.md, Result codes of close */
export const ADYEN_ERROR_TYPES: CodeTable = new Map<string, CodeMeaning>([
  ['security', 'misconfigured'],
  ['configuration', 'misconfigured'],
])

/** By HTTP status, where the type says nothing. Source: docs/channels/adyen.md, Result codes of close */
export const ADYEN_STATUSES: ReadonlyMap<number, CodeMeaning> = new Map<number, CodeMeaning>([
  [400, 'wrongRequest'],
  [401, 'misconfigured'],
  [403, 'misconfigured'],
  [422, 'rejected'],
])
