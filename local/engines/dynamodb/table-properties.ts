import { z } from 'zod'

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))

/** The part of AWS::DynamoDB::GlobalTable (and ::Table) properties that means something to a local table. */
export const tablePropertiesSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .optional(),
  // The app has none; one that appears must not be left out in silence.
  LocalSecondaryIndexes: z.array(z.never()).optional(),
  StreamSpecification: z
    .object({ StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']) })
    .optional(),
  TimeToLiveSpecification: z
    .object({ AttributeName: z.string().optional(), Enabled: z.union([z.boolean(), z.stringbool()]) })
    .optional(),
})

export type TableProperties = z.infer<typeof tablePropertiesSchema>
