/** Who moved an order: each entry of its journal names one of these. */
export const operatorTypes = ['CALLBACK', 'QUERY', 'POLICY', 'PERSON', 'RECONCILIATION', 'MERCHANT'] as const
export type OperatorType = (typeof operatorTypes)[number]
