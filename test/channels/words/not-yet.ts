/**
 * Rows of docs/channels, and sample bodies, that the code does not follow yet, by kind of fault: page, section, codes. One that
 * agrees fails the tests until it leaves this list, so the list can only shrink.
 */
const GAPS: Readonly<Record<string, string>> = {}

const LINE = /^ +(\S+) (.+?): (.+)$/

/** Every line of the list: a page (or folder of fixtures), a heading of it without its marks (or `samples`), codes. */
export const notYetLines = Object.values(GAPS)
  .flatMap((text) => text.trimEnd().split('\n').slice(1))
  .map((line) => {
    const [, channel = '', section = '', codes = ''] = LINE.exec(line) ?? []
    return { channel, section, codes: codes.split(' · ') }
  })

export function notYet(channel: string, section: string): readonly string[] {
  return notYetLines
    .filter((line) => line.channel === channel && line.section === section)
    .flatMap(({ codes }) => codes)
}
