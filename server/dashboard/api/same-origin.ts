import type { Request } from 'express';
import { HomeportError } from '../../platform/lib/homeport-error.ts';

/**
 * Header that only a script of our own origin can send without a preflight, which is never granted. It carries the
 * token of the session; the login request, which has no token yet, sends any value.
 */
export const CSRF_HEADER = 'x-homeport-csrf';
/** Values of `Sec-Fetch-Site` for requests of our own pages and for addresses that a person typed. */
const OWN_FETCH_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Refuses requests of foreign pages, also reads. `SameSite` cookies are not enough, because a page of another port of
 * this computer counts as the same site. Changes need `Origin` and the CSRF header.
 */
export function requireSameOrigin(request: Request): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isForeign =
    (origin !== undefined && !isOwnOrigin(origin, host)) ||
    (typeof site === 'string' && !OWN_FETCH_SITES.includes(site));
  if (isForeign) throw new HomeportError('forbidden', 'Only the dashboard itself may call this.');
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (origin === undefined || !request.headers[CSRF_HEADER]) {
    throw new HomeportError('forbidden', 'A change needs a same-origin Origin header and "X-Homeport-Csrf".');
  }
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const own = URL.parse(`http://${host ?? ''}`);
  return own !== null && own.origin === origin;
}
