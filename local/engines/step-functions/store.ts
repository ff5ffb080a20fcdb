import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { GroupCommit, openDatabase } from '../sqs/group-commit.ts'
import { type Branch, type ExecutionRecord, type ExecutionStatus, executionStatuses } from './execution.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS machines (
    name TEXT PRIMARY KEY, definition TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, arn TEXT NOT NULL UNIQUE, machine TEXT NOT NULL, name TEXT NOT NULL,
    definition TEXT NOT NULL, input TEXT NOT NULL, started_at INTEGER NOT NULL, status TEXT NOT NULL, output TEXT,
    failure TEXT, stopped_at INTEGER, events INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS executions_of_machine ON executions (machine, status, id);
  CREATE TABLE IF NOT EXISTS branches (
    execution_id INTEGER NOT NULL, branch INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (execution_id, branch)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS events (
    execution_id INTEGER NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (execution_id, id)) STRICT, WITHOUT ROWID;
`

type Row = Readonly<Record<string, SQLOutputValue>>

/** A machine as it was last defined; its executions keep the definition of their start. */
export interface MachineRecord {
  readonly name: string
  readonly definition: string
  readonly createdAt: number
}

/** A history event as the API shows it. */
export interface StoredEvent {
  readonly id: number
  readonly [field: string]: unknown
}

/** Machines, executions, where they stand, and their history on disk. Every write joins the transaction of the turn. */
export class Store {
  readonly commit: GroupCommit
  readonly #database: DatabaseSync
  readonly #statements

  constructor(path: string) {
    this.#database = openDatabase(path, schema)
    this.commit = new GroupCommit(this.#database)
    const prepare = (sql: string) => this.#database.prepare(sql)
    this.#statements = {
      putMachine: prepare('INSERT OR REPLACE INTO machines VALUES (?, ?, ?)'),
      machines: prepare('SELECT * FROM machines ORDER BY name'),
      findMachine: prepare('SELECT * FROM machines WHERE name = ?'),
      insert: prepare(
        'INSERT INTO executions (arn, machine, name, definition, input, started_at, status, events) VALUES (?, ?, ?, ?, ?, ?, ?, 0)',
      ),
      update: prepare(
        'UPDATE executions SET status = ?, output = ?, failure = ?, stopped_at = ?, events = ? WHERE id = ?',
      ),
      find: prepare('SELECT * FROM executions WHERE arn = ?'),
      findById: prepare('SELECT * FROM executions WHERE id = ?'),
      list: prepare(
        'SELECT * FROM executions WHERE machine = ? AND (? IS NULL OR status = ?) AND id < ? AND (stopped_at IS NULL OR stopped_at > ?) ORDER BY id DESC LIMIT ?',
      ),
      open: prepare("SELECT * FROM executions WHERE status = 'RUNNING' ORDER BY id"),
      forgotten: prepare('SELECT id FROM executions WHERE stopped_at <= ?'),
      drop: prepare('DELETE FROM executions WHERE id = ?'),
      dropEvents: prepare('DELETE FROM events WHERE execution_id = ?'),
      branches: prepare('SELECT body FROM branches WHERE execution_id = ? ORDER BY branch'),
      putBranch: prepare('INSERT OR REPLACE INTO branches VALUES (?, ?, ?)'),
      dropBranches: prepare('DELETE FROM branches WHERE execution_id = ? AND branch >= ?'),
      putEvent: prepare('INSERT INTO events VALUES (?, ?, ?)'),
      eventsUp: prepare('SELECT id, body FROM events WHERE execution_id = ? AND id > ? ORDER BY id LIMIT ?'),
      eventsDown: prepare('SELECT id, body FROM events WHERE execution_id = ? AND id < ? ORDER BY id DESC LIMIT ?'),
    }
  }

  loadMachines(): MachineRecord[] {
    return this.#statements.machines.all().map(toMachine)
  }

  findMachine(name: string): MachineRecord | undefined {
    const row = this.#statements.findMachine.get(name)
    return row && toMachine(row)
  }

  putMachine({ name, definition, createdAt }: MachineRecord): void {
    this.commit.write(() => this.#statements.putMachine.run(name, definition, createdAt))
  }

  /** Executions that are open, each with its branches. */
  loadOpen(): { record: ExecutionRecord; branches: Branch[] }[] {
    return this.#statements.open.all().map((row) => {
      const record = toRecord(row)
      const branches = this.#statements.branches.all(record.id)
      return { record, branches: branches.map(({ body }): Branch => JSON.parse(String(body))) }
    })
  }

  insert(fields: Pick<ExecutionRecord, 'arn' | 'machine' | 'name' | 'definition' | 'input' | 'startedAt'>) {
    const { arn, machine, name, definition, input, startedAt } = fields
    let id = 0
    this.commit.write(() => {
      const row = this.#statements.insert.run(arn, machine, name, definition, input, startedAt, 'RUNNING')
      id = Number(row.lastInsertRowid)
    })
    const fresh = { output: undefined, failure: undefined, stoppedAt: undefined, events: 0 }
    return { ...fields, id, status: 'RUNNING' as const, ...fresh }
  }

  update({ id, status, output, failure, stoppedAt, events }: ExecutionRecord): void {
    const failureText = failure === undefined ? null : JSON.stringify(failure)
    this.commit.write(() =>
      this.#statements.update.run(status, output ?? null, failureText, stoppedAt ?? null, events, id),
    )
  }

  find(arn: string): ExecutionRecord | undefined {
    const row = this.#statements.find.get(arn)
    return row && toRecord(row)
  }

  findById(id: number): ExecutionRecord | undefined {
    const row = this.#statements.findById.get(id)
    return row && toRecord(row)
  }

  /** Newest first, those started before `beforeId`. @param keptSince closed ones of before are not told any more */
  list(
    machine: string,
    query: { status: string | undefined; beforeId: number; keptSince: number; limit: number },
  ): ExecutionRecord[] {
    const status = query.status ?? null
    return this.#statements.list
      .all(machine, status, status, query.beforeId, query.keptSince, query.limit)
      .map(toRecord)
  }

  /** Deletes an execution that is closed, with its history. */
  forget(id: number): void {
    this.commit.write(() => {
      this.#statements.drop.run(id)
      this.#statements.dropEvents.run(id)
    })
  }

  /** Deletes the executions that were closed by an instant. */
  forgetClosedBy(instantMs: number): void {
    for (const { id } of this.#statements.forgotten.all(instantMs)) this.forget(Number(id))
  }

  putBranch(executionId: number, branch: Branch): void {
    this.commit.write(() => this.#statements.putBranch.run(executionId, branch.index, JSON.stringify(branch)))
  }

  /** Deletes the branches from an index on. */
  dropBranches(executionId: number, from: number): void {
    this.commit.write(() => this.#statements.dropBranches.run(executionId, from))
  }

  putEvent(executionId: number, id: number, body: object): void {
    this.commit.write(() => this.#statements.putEvent.run(executionId, id, JSON.stringify(body)))
  }

  /** Events as they were put, after (or, in reverse, before) the one with an id. */
  listEvents(executionId: number, from: number, options: { limit: number; isReverse: boolean }): StoredEvent[] {
    const statement = options.isReverse ? this.#statements.eventsDown : this.#statements.eventsUp
    return statement
      .all(executionId, from, options.limit)
      .map((row) => ({ id: Number(row['id']), ...JSON.parse(String(row['body'])) }))
  }

  close(): void {
    this.commit.flush()
    this.#database.close()
  }
}

const textOf = (value: SQLOutputValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const toMachine = (row: Row): MachineRecord => ({
  name: String(row['name']),
  definition: String(row['definition']),
  createdAt: Number(row['created_at']),
})

function toRecord(row: Row): ExecutionRecord {
  const failure = textOf(row['failure'])
  return {
    id: Number(row['id']),
    arn: String(row['arn']),
    machine: String(row['machine']),
    name: String(row['name']),
    definition: String(row['definition']),
    input: String(row['input']),
    startedAt: Number(row['started_at']),
    status: toStatus(String(row['status'])),
    output: textOf(row['output']),
    failure: failure === undefined ? undefined : JSON.parse(failure),
    stoppedAt: row['stopped_at'] === null ? undefined : Number(row['stopped_at']),
    events: Number(row['events']),
  }
}

function toStatus(text: string): ExecutionStatus {
  const status = executionStatuses.find((known) => known === text)
  if (status === undefined) throw new Error(`The state file has an execution with the status ${text}.`)
  return status
}
