import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a state file. WAL with synchronous=NORMAL: what is committed survives the death of the process;
 * a power cut may take the last commits.
 * @param path a file, or `:memory:`
 */
export function openDatabase(path: string, schema: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000')
  database.exec(schema)
  return database
}

/**
 * One transaction per turn of the event loop: everything written in a turn is committed together at its end,
 * and whoever answers a caller waits for `settled()` first.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #beforeCommit: () => void
  #transaction: PromiseWithResolvers<void> | undefined
  #turn: NodeJS.Immediate | undefined
  #failure: Error | undefined

  /** @param beforeCommit runs once at the end of each turn; what it writes goes into the same commit */
  constructor(database: DatabaseSync, beforeCommit: () => void = () => {}) {
    this.#database = database
    this.#beforeCommit = beforeCommit
  }

  /** @throws the first storage error for ever after: memory may then be ahead of the disk, only a restart helps */
  write(apply: () => void): void {
    if (this.#failure !== undefined) throw this.#failure
    this.schedule()
    try {
      if (this.#transaction === undefined) this.#begin()
      apply()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** Asks for the end-of-turn work even when nothing was written. */
  schedule(): void {
    this.#turn ??= setImmediate(() => this.flush())
  }

  /** Resolves when everything written so far is on disk. */
  settled(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return this.#transaction?.promise ?? Promise.resolve()
  }

  /** Ends the turn now. */
  flush(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    if (this.#failure !== undefined) return
    try {
      this.#beforeCommit()
      if (this.#transaction === undefined) return
      this.#database.exec('COMMIT')
      this.#transaction.resolve()
      this.#transaction = undefined
    } catch (error) {
      this.#fail(error)
    }
  }

  #begin(): void {
    this.#database.exec('BEGIN IMMEDIATE')
    this.#transaction = Promise.withResolvers()
    // A turn in which nobody waits must not end the process; `#failure` keeps the error for every later caller.
    this.#transaction.promise.catch(() => {})
  }

  #fail(cause: unknown): Error {
    this.#failure ??= new Error('the state file could not be written; restart after freeing it', { cause })
    this.#transaction?.reject(this.#failure)
    this.#transaction = undefined
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    return this.#failure
  }
}
