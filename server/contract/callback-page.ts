/** Facts about the callback address that server and pages share. */

/** Header of every response of the callback addresses. It identifies the response as the hub's own. */
export const CALLBACK_PAGE_HEADER = 'x-homeport-page';
export const CALLBACK_PAGE = 'callback';

/** A public page that redirects browsers to the address in its path, for providers that require https. */
export const REDIRECTOR = 'https://redirectmeto.com/';

/** Words by which providers report a redirect address that is not registered. */
const MISMATCH =
  /redirect_?ur[il]_?mismatch|AADSTS50011|redirect[ _-]?ur[il][^.]{0,160}(mismatch|invalid|not (match|registered|allowed|valid|whitelisted)|(does|did)n.?t match|missing)|(invalid|unregistered|mismatching|bad)[ _-]redirect|callback url.{0,40}(mismatch|not (approved|match|registered|allowed))/i;

/** Whether a provider's message says that the redirect address is not registered. */
export const isRedirectMismatch = (text: string): boolean => MISMATCH.test(text);

/** The callback address to register with providers: the one in the settings, or the hub's own. */
export function callbackUrlOf(chosen: string | null, publicBase: string): string {
  return chosen ?? `${publicBase}/oauth/callback`;
}

/** The address at which the browser ends: the callback address itself, or the one in a redirector's path. */
export function landingUrl(callbackUrl: string): string {
  return /^https?:\/\/[^/]+\/(https?:\/\/.+)$/.exec(callbackUrl)?.[1] ?? callbackUrl;
}
