import type { Problem } from './api.ts'

/** Backstop refused the request. `code` is stable, the message says what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: Problem['code']
  readonly status: number
  readonly problem: Problem

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
    this.code = problem.code
    this.status = problem.status
    this.problem = problem
  }
}

/** An answer that is none of Backstop's own: the gateway (401, 403, 429), or something between. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code = 'HTTP'
  readonly status: number

  constructor(status: number, text: string) {
    super(`The answer was ${status}: ${text.slice(0, 200)}`)
    this.status = status
  }
}
