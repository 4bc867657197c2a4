import { isLoopbackHost } from '../../platform/lib/address-guard.ts';

/** Schemes of a browser and of documents: an address of theirs would run or show something, and start no program. */
const NOT_OF_A_PROGRAM = new Set(['http:', 'https:', 'javascript:', 'data:', 'blob:', 'file:', 'about:', 'vbscript:']);

/**
 * Whether a code may be sent there (RFC 8252): a program of this computer, by a loopback address with any port or a
 * scheme of its own. `isPublic`: the request came by the public address, and then also a site with https.
 */
export function isAllowedRedirect(text: string, { isPublic }: { isPublic: boolean }): boolean {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname);
  if (url.protocol === 'https:') return isPublic || isLoopbackHost(url.hostname);
  return !NOT_OF_A_PROGRAM.has(url.protocol) && /^[a-z][a-z0-9+.-]*:/i.test(text);
}

/** Whether the address of a request is a registered one. The port of a loopback address is chosen at each start. */
export function matchesRedirect(asked: string, registered: string): boolean {
  if (asked === registered) return true;
  const [one, other] = [URL.parse(asked), URL.parse(registered)];
  if (!one || !other || !isLoopbackHost(one.hostname) || one.protocol !== 'http:') return false;
  one.port = other.port;
  return one.href === other.href;
}

/** Where a person is sent, in words: the host, or the scheme of a program. */
export function redirectName(text: string): string {
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol.slice(0, -1);
}
