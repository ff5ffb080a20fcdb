import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { GroupCommit, openDatabase } from './group-commit.ts'
import type { Message } from './message.ts'
import type { MoveTask } from './move-tasks.ts'
import { Queue } from './queue.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS queues (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, attributes TEXT NOT NULL,
    created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY, queue_id INTEGER NOT NULL, message_id TEXT NOT NULL, group_id TEXT, body TEXT NOT NULL,
    attributes TEXT NOT NULL, trace_header TEXT, sent_at INTEGER NOT NULL, source_arn TEXT,
    visible_at INTEGER NOT NULL, receives INTEGER NOT NULL, first_received_at INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS move_tasks (handle TEXT PRIMARY KEY, task TEXT NOT NULL) STRICT;
`

type Row = Readonly<Record<string, SQLOutputValue>>

const optionalText = (value: SQLOutputValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Queues and messages on disk. Every write joins the transaction of the current turn. */
export class Store {
  readonly commit: GroupCommit
  readonly #database: DatabaseSync
  readonly #statements

  constructor(path: string, beforeCommit: () => void) {
    this.#database = openDatabase(path, schema)
    this.commit = new GroupCommit(this.#database, beforeCommit)
    const prepare = (sql: string) => this.#database.prepare(sql)
    this.#statements = {
      putQueue: prepare('INSERT INTO queues (name, attributes, created_at, modified_at) VALUES (?, ?, ?, ?)'),
      setAttributes: prepare('UPDATE queues SET attributes = ?, modified_at = ? WHERE id = ?'),
      dropQueue: prepare('DELETE FROM queues WHERE id = ?'),
      purge: prepare('DELETE FROM messages WHERE queue_id = ?'),
      put: prepare('INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      update: prepare('UPDATE messages SET visible_at = ?, receives = ?, first_received_at = ? WHERE seq = ?'),
      remove: prepare('DELETE FROM messages WHERE seq = ?'),
      putTask: prepare('INSERT OR REPLACE INTO move_tasks VALUES (?, ?)'),
    }
  }

  loadQueues(): Queue[] {
    return this.#database.prepare('SELECT * FROM queues ORDER BY id').all().map(toQueue)
  }

  /** Every message with its queue's id, in the order in which they become visible. */
  *loadMessages(): Generator<{ queueId: number; message: Message }> {
    for (const row of this.#database.prepare('SELECT * FROM messages ORDER BY visible_at, seq').iterate()) {
      yield { queueId: Number(row['queue_id']), message: toMessage(row) }
    }
  }

  loadTasks(): MoveTask[] {
    return this.#database
      .prepare('SELECT task FROM move_tasks')
      .all()
      .map((row) => JSON.parse(String(row['task'])))
  }

  createQueue(name: string, attributes: Readonly<Record<string, string>>, now: number): Queue {
    let id = 0
    this.commit.write(() => {
      id = Number(this.#statements.putQueue.run(name, JSON.stringify(attributes), now, now).lastInsertRowid)
    })
    return new Queue(id, name, attributes, now)
  }

  saveAttributes(queue: Queue): void {
    this.commit.write(() =>
      this.#statements.setAttributes.run(JSON.stringify(queue.attributes), queue.modifiedAt, queue.id),
    )
  }

  dropQueue(queue: Queue): void {
    this.purgeQueue(queue)
    this.commit.write(() => this.#statements.dropQueue.run(queue.id))
  }

  purgeQueue(queue: Queue): void {
    this.commit.write(() => this.#statements.purge.run(queue.id))
  }

  /** Writes a message as belonging to `queue`, wherever it was before. */
  putMessage(queue: Queue, message: Message): void {
    const { seq, messageId, groupId, body, messageAttributes, traceHeader, sentAt, sourceArn } = message
    this.commit.write(() =>
      this.#statements.put.run(
        ...[seq, queue.id, messageId, groupId ?? null, body, JSON.stringify(messageAttributes), traceHeader ?? null],
        ...[sentAt, sourceArn ?? null, message.visibleAt, message.receives, message.firstReceivedAt ?? null],
      ),
    )
  }

  updateMessage({ seq, visibleAt, receives, firstReceivedAt }: Message): void {
    this.commit.write(() => this.#statements.update.run(visibleAt, receives, firstReceivedAt ?? null, seq))
  }

  removeMessage(message: Message): void {
    this.commit.write(() => this.#statements.remove.run(message.seq))
  }

  putTask(task: MoveTask): void {
    this.commit.write(() => this.#statements.putTask.run(task.handle, JSON.stringify(task)))
  }

  close(): void {
    this.commit.flush()
    this.#database.close()
  }
}

function toQueue(row: Row): Queue {
  const queue = new Queue(
    Number(row['id']),
    String(row['name']),
    JSON.parse(String(row['attributes'])),
    Number(row['created_at']),
  )
  queue.modifiedAt = Number(row['modified_at'])
  return queue
}

function toMessage(row: Row): Message {
  const receives = Number(row['receives'])
  return {
    seq: Number(row['seq']),
    messageId: String(row['message_id']),
    groupId: optionalText(row['group_id']),
    body: String(row['body']),
    messageAttributes: JSON.parse(String(row['attributes'])),
    traceHeader: optionalText(row['trace_header']),
    sentAt: Number(row['sent_at']),
    sourceArn: optionalText(row['source_arn']),
    // The heap makes it ready as soon as it is looked at after `visibleAt`.
    state: receives > 0 ? 'inFlight' : 'delayed',
    visibleAt: Number(row['visible_at']),
    receives,
    firstReceivedAt: row['first_received_at'] === null ? undefined : Number(row['first_received_at']),
  }
}
