import { expect, it } from 'vitest'
import { GroupCommit, openDatabase } from '../../../../local/engines/sqs/group-commit.ts'

const open = () => openDatabase(':memory:', 'CREATE TABLE facts (id INTEGER PRIMARY KEY) STRICT')

it('what is written in one turn is committed together, at its end', async () => {
  const database = open()
  const commit = new GroupCommit(database)
  const insert = database.prepare('INSERT INTO facts VALUES (?)')
  commit.write(() => insert.run(1))
  commit.write(() => insert.run(2))
  const wasOpen = database.isTransaction

  await commit.settled()

  expect([wasOpen, database.isTransaction]).toEqual([true, false])
  expect(database.prepare('SELECT count(*) AS n FROM facts').get()).toEqual({ n: 2 })
})

it('after a failed write nothing of its turn stays, and nothing is acknowledged any more', async () => {
  const database = open()
  const commit = new GroupCommit(database)
  const insert = database.prepare('INSERT INTO facts VALUES (?)')
  commit.write(() => insert.run(1))
  const first = commit.settled()

  expect(() => commit.write(() => insert.run(1))).toThrow(/could not be written/)

  await expect(first).rejects.toThrow(/could not be written/)
  await expect(commit.settled()).rejects.toThrow(/could not be written/)
  expect(() => commit.write(() => insert.run(2))).toThrow(/could not be written/)
  expect(database.prepare('SELECT count(*) AS n FROM facts').get()).toEqual({ n: 0 })
})

it('the end-of-turn work goes into the same commit', async () => {
  const database = open()
  const insert = database.prepare('INSERT INTO facts VALUES (?)')
  const commit: GroupCommit = new GroupCommit(database, () => commit.write(() => insert.run(2)))
  commit.write(() => insert.run(1))

  commit.flush()

  expect(database.isTransaction).toBe(false)
  expect(database.prepare('SELECT count(*) AS n FROM facts').get()).toEqual({ n: 2 })
})
