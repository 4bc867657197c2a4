/** What is known on both sides about the address that providers lead people back to. */

/** On every answer of the callback addresses; by it an answer is known as the hub's own. */
export const CALLBACK_PAGE_HEADER = 'x-homeport-page';
export const CALLBACK_PAGE = 'callback';

/** A public page that sends browsers on to the address behind it, for providers that want https. */
export const REDIRECTOR = 'https://redirectmeto.com/';

/** How providers say that the address they should come back to is not the registered one. */
const MISMATCH =
  /redirect_?ur[il]_?mismatch|AADSTS50011|redirect[ _-]?ur[il][^.]{0,160}(mismatch|invalid|not (match|registered|allowed|valid|whitelisted)|(does|did)n.?t match|missing)|(invalid|unregistered|mismatching|bad)[ _-]redirect|callback url.{0,40}(mismatch|not (approved|match|registered|allowed))/i;

/** Whether a provider's words are about a redirect address that it does not know. */
export const isRedirectMismatch = (text: string): boolean => MISMATCH.test(text);

/** The address to register with providers: the one chosen in the settings, else the hub's own. */
export function callbackUrlOf(chosen: string | null, publicBase: string): string {
  return chosen ?? `${publicBase}/oauth/callback`;
}

/** Where a person ends up: the address itself, or the one that a redirector's path holds. */
export function landingUrl(callbackUrl: string): string {
  return /^https?:\/\/[^/]+\/(https?:\/\/.+)$/.exec(callbackUrl)?.[1] ?? callbackUrl;
}
