/** Lines of a table; numbers to the right, text to the left. The first row is the head. */
export function layOut(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, String(cell).length)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return typeof cell === 'number' || isNumeric(cell) ? String(cell).padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

const isNumeric = (text: string): boolean => /^-?[\d.]+$/.test(text)
