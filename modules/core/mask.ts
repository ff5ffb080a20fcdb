const EMAIL = /[^\s@"'<>]{1,64}@[^\s@"'<>]{1,255}/g
const LONG_NUMBER = /\d[\d -]{5,}\d/g
const SECRET = /\b(?:whsec_|whsk_|sk_|rk_|Bearer\s+)[A-Za-z0-9+/=_.-]+/g

/**
 * A short text from outside as it may be kept: card, bank and phone numbers, addresses and keys are blotted out.
 * @param maxLength characters kept
 */
export function maskText(text: string, maxLength = 200): string {
  return text
    .slice(0, maxLength * 2)
    .replace(SECRET, '***')
    .replace(EMAIL, '***')
    .replace(LONG_NUMBER, '***')
    .slice(0, maxLength)
}
