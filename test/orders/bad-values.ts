/** Texts that no number, id or code of ours may be, whatever its alphabet. */
const oddTexts = [
  '',
  ' ',
  'a b c d e f',
  'ABCDEF ',
  ' ABCDEF',
  'ABCDEF\n',
  'AB\u0000CDEF',
  'AB#CDEF',
  'AB/CDEF',
  '../CDEF',
  "AB'CDEF",
  'AB"CDEF',
  'AB%20CD',
  '<ABCDEF>',
  '卡卡卡卡卡卡',
  'ＡＢＣＤＥＦ',
  '😀😀😀😀😀😀',
  '\u202eABCDEF',
  'e\u0301e\u0301e\u0301e\u0301',
  'A'.repeat(400),
]
const json = (values: readonly unknown[]): readonly string[] => values.map((value) => JSON.stringify(value))

/** What is no text at all, as it is written in JSON. */
const notText = ['7', '-1', '0', '1e3', 'true', 'false', 'null', '[]', '{}', '["ABCDEF"]', '{"a":"ABCDEF"}']
const notNumber = ['"1"', '""', 'true', 'null', '[]', '[1]', '{}', '{"value":1}', '"１"']
const notWhole = ['0.5', '1.5', '-1', '-0.1', '1e-2', '1e400', '-1e400', '9007199254740993', '9007199254740990.6']

/** Bad values by the kind of a field, as they are written in JSON. */
export const badJson = {
  id: [...json(oddTexts), ...notText],
  currency: [...json([...oddTexts, 'cny', 'CNYY', 'CN', 'XXQ', '156']), ...notText],
  amount: [...notNumber, ...notWhole, '0', '-0', '9007199254740992', `1${'0'.repeat(400)}`],
  quantity: [...notNumber, ...notWhole, '0', '1001', '1e9'],
  buckets: [...notNumber, ...notWhole, '0', '21'],
  sequence: [...notNumber, ...notWhole],
  onHand: [...notNumber, ...notWhole, '1000000001'],
  instant: [
    ...json([
      ...oddTexts,
      '2026-03-01',
      '2026-03-01T08:00:00',
      '2026-02-30T08:00:00Z',
      '2026-03-01T25:00:00Z',
      '1772355600',
    ]),
    ...notText,
  ],
  ref: [...json(['', 'a b', 'a\nb', 'a\u0000', '卡', 'x'.repeat(257)]), ...notText],
  choice: [...json([...oddTexts, 'query_payment', 'GOODS']), ...notText],
  lines: [
    '""',
    '7',
    'null',
    '{}',
    '[]',
    '{"0":{"sku":"A","quantity":1}}',
    `[${Array(41).fill('{"sku":"A","quantity":1}')}]`,
  ],
  attributes: ['""', '7', 'null', '[]', `{${Array.from({ length: 21 }, (_, at) => `"n${at}":""`)}}`],
  attribute: ['7', 'null', 'true', '[]', '{}', JSON.stringify('x'.repeat(257))],
  interfaces: ['""', '7', 'null', '{}', '[]', '["webhook","webhook"]', `[${Array(6).fill('"webhook"')}]`],
  codes: ['""', '7', 'null', '{}', '[]', '{"0":"A"}', `[${Array(501).fill('"A"')}]`],
  code: ['7', 'null', '""', '[]', '{}', JSON.stringify('x'.repeat(257))],
} as const

/** Bad values of parameters in a path or a query, where everything is text. */
export const badText = {
  id: oddTexts,
  limit: ['', '0', '-1', '1.5', '1e1', '01', '999', '١', '１', '1,2', 'Infinity', ' 1'],
  cursor: ['x', '{}', '卡', 'bnVsbA', 'e30', 'A'.repeat(3000), '../x'],
  choice: [...oddTexts, 'manual', 'MANUAL,RETRY'],
} as const
