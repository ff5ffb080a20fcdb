/** Says when it was called. */
export async function handler(event: { time: string }): Promise<void> {
  console.log(JSON.stringify({ tick: event.time, now: Date.now() }))
}
