import { maskText } from '../../core/mask.ts'
import type { Outcome } from '../../core/outcome.ts'
import { type CodeMeaning, codeOf, judgementOf } from '../refusal.ts'
import { type AlipayResult, notSigned } from './call.ts'
import { ALIPAY_GATEWAY_CODES, ALIPAY_GATEWAY_SUB_CODES, ALIPAY_SUB_CODES } from './states.ts'

type Answer = Extract<AlipayResult, { kind: 'answer' }>

/** What the two codes of an answer say, sub-code without its `ACQ.`: they appear with and without. */
export function codesOf({ content }: Answer): { readonly code: string; readonly subCode: string } {
  const { code, sub_code: subCode } = content
  return {
    code: typeof code === 'string' ? code : '',
    subCode: typeof subCode === 'string' ? (subCode.split('.').at(-1) ?? '') : '',
  }
}

/**
 * An answer that says nothing definite about the trade. Unsigned, only "our key, id or parameters" is believed: such refusals
 * are not signed, and all that follows from it is an alarm and a pause, or a person.
 */
export function outcomeOfCode(answer: Answer): Outcome {
  const { code, subCode } = codesOf(answer)
  const judgement = judgementOf(meaningOf(code, subCode) ?? 'unknown')
  const { kind } = judgement
  if (!answer.isSigned && kind !== 'misconfigured' && kind !== 'transient') return notSigned(answer.http)
  const message = answer.content['sub_msg'] ?? answer.content['msg']
  return {
    ...judgement,
    code: codeOf(subCode === '' ? `ALIPAY_${code}` : subCode),
    httpStatus: answer.http.status,
    ...(typeof message === 'string' && { message: maskText(message) }),
  }
}

function meaningOf(code: string, subCode: string): CodeMeaning | undefined {
  if (code === '40004') return ALIPAY_SUB_CODES.get(subCode)
  return (code === '40002' ? ALIPAY_GATEWAY_SUB_CODES.get(subCode) : undefined) ?? ALIPAY_GATEWAY_CODES.get(code)
}
