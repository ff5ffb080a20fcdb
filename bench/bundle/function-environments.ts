import { resolve } from 'node:path'
import { synthesizeTemplate } from '../../local/host/synthesize.ts'
import { isObject, type Json } from '../../local/host/template/json.ts'
import type { Template } from '../../local/host/template/template.ts'

const CACHE = resolve(import.meta.dirname, '../../.backstop/cache')
/** Stands in for what is known only after a deploy: readable as text and as JSON. */
const LATER = '{}'

/** The environment of each function of the template by its folder, enough to be imported with. */
export async function functionEnvironments(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { Resources, Parameters } = await synthesizeTemplate({ cacheDir: CACHE })
  const environments = Object.values(Resources).flatMap(({ Metadata, Properties }) => {
    const entry = Metadata['backstop:entry']
    const environment = isObject(Properties['Environment']) ? Properties['Environment']['Variables'] : {}
    if (typeof entry !== 'string' || !isObject(environment)) return []
    const settings = Object.entries(environment).map(([name, value]) => [name, settingOf(value, Parameters)])
    return [[entry.split('/')[1] ?? '', Object.fromEntries(settings)] as const]
  })
  return new Map(environments)
}

/** A setting as a stack without parameters of its own would have it. */
function settingOf(value: Json | undefined, parameters: Template['Parameters']): string {
  if (typeof value === 'string') return value
  const parameter = isObject(value) ? parameters?.[String(value['Ref'])] : undefined
  return typeof parameter?.Default === 'string' ? parameter.Default : LATER
}
