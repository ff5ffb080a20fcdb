/** Lets log lines be made but not written, so that a terminal's speed is not measured. @returns puts the output back */
export function muteOutput(): () => void {
  const { write } = process.stdout
  process.stdout.write = () => true
  return () => {
    process.stdout.write = write
  }
}
