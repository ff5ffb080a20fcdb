import type { Director, Side, Step } from './explore-orders.ts'
import type { Touch } from './footprint.ts'

type Cell = 'a' | 'b' | 'c'

/** What a toy handler does next; it knows the last number that it read. */
export type Instruction =
  | { readonly op: 'read'; readonly cell: Cell }
  /** Reads the sum of the cells, as a Query reads a collection. */
  | { readonly op: 'readAll' }
  | { readonly op: 'write'; readonly cell: Cell; readonly value: number }
  | { readonly op: 'writeKnown'; readonly cell: Cell; readonly plus: number }
  /** Writes if the cell is as expected, as a conditional write does; refused, it skips instructions. */
  | {
      readonly op: 'swap'
      readonly cell: Cell
      readonly expected: number
      readonly value: number
      readonly otherwiseSkip: number
    }
  /** Makes no call. */
  | { readonly op: 'skipUnless'; readonly known: number; readonly count: number }

export type ToyHandler = readonly Instruction[]

interface Run {
  readonly by: Side
  readonly handler: ToyHandler
  at: number
  known: number
}

/** Plays two toy handlers as a director says. @returns what they come to: cells and knowledge, and the calls in their order */
export function playToys(
  handlers: readonly [ToyHandler, ToyHandler],
  director: Director,
): { readonly end: string; readonly steps: readonly Step[] } {
  const cells = { a: 0, b: 0, c: 0 }
  const runs = [startRun(0, handlers[0]), startRun(1, handlers[1])] as const
  const steps: Step[] = []
  for (;;) {
    const able = runs.filter(({ handler, at }) => at < handler.length).map(({ by }) => by)
    if (able.length === 0) return { end: JSON.stringify({ cells, known: runs.map(({ known }) => known) }), steps }
    const run = runs[director.next(able)]
    const step: Step = { by: run.by, touches: makeCall(run, cells) }
    skipLocal(run)
    steps.push(step)
    director.made(step)
  }
}

function startRun(by: Side, handler: ToyHandler): Run {
  const run: Run = { by, handler, at: 0, known: 0 }
  skipLocal(run)
  return run
}

/** Goes on to the next instruction that is a call. */
function skipLocal(run: Run): void {
  for (let next = run.handler[run.at]; next?.op === 'skipUnless'; next = run.handler[run.at])
    run.at += 1 + (run.known === next.known ? 0 : next.count)
}

function makeCall(run: Run, cells: Record<Cell, number>): readonly Touch[] {
  const next = run.handler[run.at++]
  switch (next?.op) {
    case 'read':
      run.known = cells[next.cell]
      return [touch(next.cell, false)]
    case 'readAll':
      run.known = cells.a + cells.b + cells.c
      return [{ pk: 'cells', writes: false }]
    case 'write':
      cells[next.cell] = next.value
      return [touch(next.cell, true)]
    case 'writeKnown':
      cells[next.cell] = run.known + next.plus
      return [touch(next.cell, true)]
    case 'swap': {
      const isAsExpected = cells[next.cell] === next.expected
      if (isAsExpected) cells[next.cell] = next.value
      else run.at += next.otherwiseSkip
      return [touch(next.cell, isAsExpected)]
    }
    default:
      throw new Error('A handler at its end, or at an instruction that is no call, makes none.')
  }
}

const touch = (cell: Cell, writes: boolean): Touch => ({ pk: 'cells', sk: cell, writes })
