/** The template asks for something that the local host does not run, or is wrong in itself. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly code = 'TEMPLATE'
}
