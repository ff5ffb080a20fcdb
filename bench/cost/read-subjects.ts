import { z } from 'zod'
import type { Subject } from './recording.ts'

const text = z.object({ S: z.string() }).optional()
const httpEvent = z.object({ routeKey: z.string() })
const queueEvent = z.object({ Records: z.array(z.object({ body: z.string() })) })
const streamEvent = z.object({
  Records: z.array(z.object({ dynamodb: z.object({ NewImage: z.object({ taskNo: text, bizType: text }) }) })),
})
const task = z.object({ taskNo: z.string() })

/** What each record of an event is about: the route, the task, or just the folder's own work. */
export function readSubjects(folder: string, event: unknown): readonly Subject[] {
  switch (folder) {
    case 'ingress':
    case 'orders':
      return [{ step: httpEvent.parse(event).routeKey, messageBytes: 0 }]
    case 'settle':
      return queueEvent
        .parse(event)
        .Records.map(({ body }) => ({ step: folder, messageBytes: Buffer.byteLength(body) }))
    case 'work':
      return queueEvent.parse(event).Records.map(({ body }) => ({
        step: folder,
        taskNo: task.parse(JSON.parse(body)).taskNo,
        messageBytes: Buffer.byteLength(body),
      }))
    case 'dispatch':
    case 'publish':
      return streamEvent.parse(event).Records.map(({ dynamodb: { NewImage } }) => ({
        step: folder,
        messageBytes: 0,
        ...(NewImage.taskNo !== undefined && { taskNo: NewImage.taskNo.S }),
        ...(NewImage.bizType !== undefined && { bizType: NewImage.bizType.S }),
      }))
    default:
      return [{ step: folder, messageBytes: 0 }]
  }
}
