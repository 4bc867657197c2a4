/** How providers say that the address they should come back to is not the registered one. */
const MISMATCH =
  /redirect_?ur[il]_?mismatch|redirect[ _-]?ur[il][^.]{0,60}(mismatch|invalid|not (match|registered|allowed|valid|whitelisted)|(does|did)n.?t match|missing)|(invalid|unregistered|mismatching|bad)[ _-]redirect|callback url.{0,40}(mismatch|not (approved|match|registered|allowed))/i;

/** What to do about a redirect address that is not registered; undefined when that is not the trouble. */
export function explainRedirectMismatch(texts: readonly string[], callbackUrl: string | undefined): string | undefined {
  if (callbackUrl === undefined || !texts.some((text) => MISMATCH.test(text))) return undefined;
  return `The app at the provider does not list this redirect address. Add exactly this one, character by character, then connect again: ${callbackUrl}`;
}
