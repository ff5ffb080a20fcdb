import { type LineEvent, lineMachine } from '../../core/stock-line.ts'
import { revIs } from '../table/conditions.ts'
import type { Update } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { LineRow } from '../table/rows.ts'
import type { Change } from '../table/write-types.ts'

/**
 * The only way a line's state changes, conditional on the line as it was read.
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function moveLine(line: LineRow, event: LineEvent, change: Change<'LINE'> = {}): Update {
  return moveRow(lineMachine, { target: line, from: line.state }, event, { change, when: revIs(line.rev) })
}
