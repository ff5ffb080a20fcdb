import { resolve } from 'node:path'
import { synthesizeTemplate } from '../../local/synthesize.ts'
import { isObject } from '../../local/template/json.ts'

const CACHE = resolve(import.meta.dirname, '../../.backstop/cache')
/** Stands in for what is known only after a deploy: readable as text and as JSON. */
const LATER = '{}'

/** The environment of each function of the template by its folder, enough to be imported with. */
export async function functionEnvironments(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { Resources } = await synthesizeTemplate({ stage: 'local', cacheDir: CACHE })
  const environments = Object.values(Resources).flatMap(({ Metadata, Properties }) => {
    const entry = Metadata['backstop:entry']
    const environment = isObject(Properties['Environment']) ? Properties['Environment']['Variables'] : {}
    if (typeof entry !== 'string' || !isObject(environment)) return []
    const settings = Object.entries(environment).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : LATER,
    ])
    return [[entry.split('/')[1] ?? '', Object.fromEntries(settings)] as const]
  })
  return new Map(environments)
}
