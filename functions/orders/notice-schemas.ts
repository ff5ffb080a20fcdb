import { z } from 'zod'
import { says } from './schemas.ts'

const sequenceRule = 'must be a whole number from 0 on'
export const replayNoticesBody = z
  .object({
    fromSequence: z
      .number(says(sequenceRule))
      .int(sequenceRule)
      .min(0, sequenceRule)
      .default(0)
      .meta({
        description:
          'The first number to tell again; 0, and nothing, for all. Money told of before its order came has none and counts as 0.',
        examples: [3],
      }),
  })
  .meta({ id: 'ReplayNotices', description: 'Which notices.' })
export type ReplayNoticesBody = z.output<typeof replayNoticesBody>
