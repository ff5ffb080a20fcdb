import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { GroupCommit, openDatabase } from '../sqs/group-commit.ts'
import type { PendingInvocation, Schedule, ScheduleGroup } from './schedule.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS groups (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT, group_name TEXT NOT NULL, name TEXT NOT NULL, client_token TEXT,
    created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, definition TEXT NOT NULL, next_fire_at INTEGER,
    UNIQUE (group_name, name)) STRICT;
  CREATE TABLE IF NOT EXISTS invocations (execution_id TEXT PRIMARY KEY, invocation TEXT NOT NULL) STRICT;
`

/** Schedules, groups and unsettled firings on disk. Every write joins the transaction of the current turn. */
export class Store {
  readonly commit: GroupCommit
  readonly #database: DatabaseSync
  readonly #statements

  constructor(path: string) {
    this.#database = openDatabase(path, schema)
    this.commit = new GroupCommit(this.#database)
    const prepare = (sql: string) => this.#database.prepare(sql)
    this.#statements = {
      putGroup: prepare('INSERT OR REPLACE INTO groups VALUES (?, ?)'),
      dropGroup: prepare('DELETE FROM groups WHERE name = ?'),
      insert: prepare(
        'INSERT INTO schedules (group_name, name, client_token, created_at, modified_at, definition, next_fire_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ),
      update: prepare('UPDATE schedules SET modified_at = ?, definition = ?, next_fire_at = ? WHERE id = ?'),
      arm: prepare('UPDATE schedules SET next_fire_at = ? WHERE id = ?'),
      drop: prepare('DELETE FROM schedules WHERE id = ?'),
      putInvocation: prepare('INSERT OR REPLACE INTO invocations VALUES (?, ?)'),
      dropInvocation: prepare('DELETE FROM invocations WHERE execution_id = ?'),
    }
  }

  loadGroups(): ScheduleGroup[] {
    const rows = this.#database.prepare('SELECT * FROM groups').all()
    return rows.map((row) => ({ name: String(row['name']), createdAt: Number(row['created_at']) }))
  }

  loadSchedules(): Schedule[] {
    return this.#database.prepare('SELECT * FROM schedules ORDER BY id').all().map(toSchedule)
  }

  loadInvocations(): PendingInvocation[] {
    const rows = this.#database.prepare('SELECT invocation FROM invocations ORDER BY rowid').all()
    return rows.map((row) => JSON.parse(String(row['invocation'])))
  }

  putGroup({ name, createdAt }: ScheduleGroup): void {
    this.commit.write(() => this.#statements.putGroup.run(name, createdAt))
  }

  dropGroup(name: string): void {
    this.commit.write(() => this.#statements.dropGroup.run(name))
  }

  insertSchedule(schedule: Omit<Schedule, 'id'>): Schedule {
    let id = 0
    this.commit.write(() => {
      const { group, name, clientToken, createdAt, modifiedAt, definition, nextFireAt } = schedule
      const row = this.#statements.insert.run(
        ...[group, name, clientToken ?? null, createdAt, modifiedAt],
        ...[JSON.stringify(definition), nextFireAt ?? null],
      )
      id = Number(row.lastInsertRowid)
    })
    return { ...schedule, id }
  }

  updateSchedule({ id, modifiedAt, definition, nextFireAt }: Schedule): void {
    this.commit.write(() => this.#statements.update.run(modifiedAt, JSON.stringify(definition), nextFireAt ?? null, id))
  }

  armSchedule({ id, nextFireAt }: Schedule): void {
    this.commit.write(() => this.#statements.arm.run(nextFireAt ?? null, id))
  }

  dropSchedule({ id }: Schedule): void {
    this.commit.write(() => this.#statements.drop.run(id))
  }

  putInvocation(invocation: PendingInvocation): void {
    this.commit.write(() => this.#statements.putInvocation.run(invocation.executionId, JSON.stringify(invocation)))
  }

  dropInvocation({ executionId }: PendingInvocation): void {
    this.commit.write(() => this.#statements.dropInvocation.run(executionId))
  }

  close(): void {
    this.commit.flush()
    this.#database.close()
  }
}

function toSchedule(row: Readonly<Record<string, SQLOutputValue>>): Schedule {
  const token = row['client_token']
  return {
    id: Number(row['id']),
    group: String(row['group_name']),
    name: String(row['name']),
    clientToken: typeof token === 'string' ? token : undefined,
    createdAt: Number(row['created_at']),
    modifiedAt: Number(row['modified_at']),
    definition: JSON.parse(String(row['definition'])),
    nextFireAt: row['next_fire_at'] === null ? undefined : Number(row['next_fire_at']),
  }
}
