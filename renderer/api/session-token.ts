import { readStored, writeStored } from '../lib/stored.ts';

/**
 * The second secret of the session. Browsers send the cookie to every port of this computer, but keep this storage for
 * the origin alone, so that nothing else on this computer can use the cookie.
 */
export function sessionHeader(): { 'x-homeport-csrf': string } {
  // Before the sign-in there is none, and any value will do.
  return { 'x-homeport-csrf': readStored('session', '') || 'none' };
}

export function keepSessionToken(token: string): void {
  writeStored('session', token);
}
