/** What each scope of an access token allows, for the consent of people and the eyes of auditors. */
export const scopeDescriptions = {
  'orders.write': 'Create and change orders',
  'orders.read': 'Read orders',
  'tasks.write': 'Start tasks and have waiting ones done now',
  'tasks.read': 'Read tasks',
  'stock.write': 'Set stock and take in codes',
  'stock.read': 'Read stock',
  'codes.read': 'Read the codes of delivered orders in plain text',
} as const

export type Scope = keyof typeof scopeDescriptions
