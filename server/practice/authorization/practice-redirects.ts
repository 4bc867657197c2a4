/** The callback path of every hub. Another path on the same host shows how a mismatch is reported. */
export const CALLBACK_PATH = '/oauth/callback';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the address if it is registered for the practice client, else undefined. Registered are the callback on every
 * port of this computer (RFC 8252, 7.3) and `others`, further addresses of the hub. The query is ignored: OAuth 1.0a
 * has no `state`, so the caller's state is in the query.
 */
export function registeredRedirect(address: string | undefined, others: readonly string[]): URL | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url?.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  const isOnThisComputer =
    /^https?:$/.test(url.protocol) && LOOPBACK_NAMES.includes(url.hostname) && url.pathname === CALLBACK_PATH;
  const withoutQuery = `${url.origin}${url.pathname}`;
  return isOnThisComputer || others.some((other) => isSameAddress(other, withoutQuery)) ? url : undefined;
}

function isSameAddress(registered: string, asked: string): boolean {
  const url = URL.parse(registered);
  return url !== null && `${url.origin}${url.pathname}` === asked;
}

/** The redirect address with the response added to its query. */
export function redirectWith(address: string, response: Record<string, string | undefined>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(response)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}
