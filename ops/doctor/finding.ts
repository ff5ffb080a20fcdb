import { maskText } from '../../modules/core/mask.ts'

/** What one check came to. */
export interface Finding {
  readonly state: 'ok' | 'fault' | 'not checked'
  /** What was looked at, in a few words. */
  readonly about: string
  /** What was seen; never a secret. */
  readonly seen: string
  /** What to do about it. */
  readonly hint?: string
}

export const ok = (about: string, seen: string): Finding => ({ state: 'ok', about, seen })
export const fault = (about: string, seen: string, hint: string): Finding => ({ state: 'fault', about, seen, hint })
export const notChecked = (about: string, seen: string, hint?: string): Finding => ({
  state: 'not checked',
  about,
  seen,
  ...(hint !== undefined && { hint }),
})

/** The fault that an error is: its name and masked message. */
export function faultOf(about: string, error: unknown, hint: string): Finding {
  const seen = error instanceof Error ? `${error.name}: ${maskText(error.message, 200)}` : 'an unknown error'
  return fault(about, seen, hint)
}

/** What `read` finds; an error of it is a fault and hides no other check. */
export async function findSafely(about: string, hint: string, read: () => Promise<Finding>): Promise<Finding> {
  try {
    return await read()
  } catch (error) {
    return faultOf(about, error, hint)
  }
}

const SIGNS = { ok: '✓', fault: '✗', 'not checked': '–' } as const

/** One line per finding: sign, what, what was seen, what to do. */
export function lineOf({ state, about, seen, hint }: Finding): string {
  return `${SIGNS[state]} ${about}: ${seen}${hint === undefined ? '' : ` → ${hint}`}`
}
