import { readStored, writeStored } from '../lib/stored.ts';

/** The key of the browser's storage that changes when any tab signs in. */
export const SESSION_STORED_AS = 'homeport.session';

/**
 * The second secret of the session. Browsers send the cookie to every port of this computer, but only this origin can
 * read its storage, so that no other program on this computer can use the cookie.
 */
export function sessionHeader(): { 'x-homeport-csrf': string } {
  // Before the login there is no token, and the server accepts any value.
  return { 'x-homeport-csrf': readStored('session', '') || 'none' };
}

export function keepSessionToken(token: string): void {
  writeStored('session', token);
}
