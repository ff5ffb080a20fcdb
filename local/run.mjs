// Runs a program of this project with the Node that the project brings. Plain JavaScript, so that an older Node can say so.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const WANTED_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])
if (major < WANTED_MAJOR) {
  console.error(
    `Backstop needs Node ${WANTED_MAJOR}, this is ${process.versions.node}. On Linux, "npm ci" brings it (use npm run, not node); elsewhere install Node ${WANTED_MAJOR}.`,
  )
  process.exit(1)
}
const [program, ...rest] = process.argv.slice(2)
process.argv = [process.argv[0], resolve(program), ...rest]
await import(pathToFileURL(resolve(program)).href)
