/** One line of a benchmark's result. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The most that is allowed. */
  readonly atMost?: number
}

export interface PartOptions {
  /** Fewer repetitions: enough to see that it runs, too few to quote. */
  readonly quick: boolean
  /** The sizes of the issue where the usual ones are smaller: takes long. */
  readonly full: boolean
  readonly print: (line: string) => void
}

/** One benchmark: measures, prints details as it goes, and returns what is worth keeping. */
export interface Part {
  readonly title: string
  measure(options: PartOptions): Promise<{ readonly figures: readonly Figure[]; readonly details?: unknown }>
}
