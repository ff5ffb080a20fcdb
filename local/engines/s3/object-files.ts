import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where contents lie: one file per version, named by a hash, since keys may hold anything. */
export interface ObjectFiles {
  /** Folder for bodies that are still arriving. */
  incomingDir: string
  path(file: string): string
  /** Moves a received body to its place, durably. @returns the name to keep */
  keep(receivedPath: string, id: string): Promise<string>
  discard(file: string): Promise<void>
}

/** Opens the folder; bodies that a kill cut off are removed. */
export function openObjectFiles(dir: string): ObjectFiles {
  const incomingDir = join(dir, 'incoming')
  rmSync(incomingDir, { recursive: true, force: true })
  mkdirSync(incomingDir, { recursive: true })
  const path = (file: string) => join(dir, 'objects', file)
  return {
    incomingDir,
    path,
    async keep(receivedPath, id) {
      const hash = createHash('sha256').update(id).digest('hex')
      const file = join(hash.slice(0, 2), hash)
      const folder = dirname(path(file))
      await mkdir(folder, { recursive: true })
      await rename(receivedPath, path(file))
      const handle = await open(folder)
      await handle.sync().finally(() => handle.close())
      return file
    },
    discard: (file) => rm(path(file), { force: true }),
  }
}
