/** How providers say that the address they should come back to is not the registered one. */
const MISMATCH =
  /redirect_?ur[il]_?mismatch|redirect[ _-]?ur[il][^.]{0,60}(mismatch|invalid|not (match|registered|allowed|valid|whitelisted)|(does|did)n.?t match|missing)|(invalid|unregistered|mismatching|bad)[ _-]redirect|callback url.{0,40}(mismatch|not (approved|match|registered|allowed))/i;

/** The redirect address to register, when the provider says that it is not; undefined when that is not the trouble. */
export function findUnregistered(texts: readonly string[], callbackUrl: string | undefined): string | undefined {
  return texts.some((text) => MISMATCH.test(text)) ? callbackUrl : undefined;
}
