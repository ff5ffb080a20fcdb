/** A step of the machine: answers what it was asked, or fails when told to. */
export const handler = async (event: { step: string; token?: string }): Promise<object> => {
  if (event.step === 'break') throw new RangeError('told to break')
  return { asked: event.step, hasToken: event.token !== undefined }
}
