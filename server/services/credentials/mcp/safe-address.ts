import { isLoopbackHost } from '../../../lib/address-guard.ts';
import { isAllowedHost } from '../../../lib/outbound-http.ts';

/**
 * The address when it may be used: https, or plain http to this computer where the environment allows that host. No
 * user name, no fragment, and none of the characters that mean something in a template of the catalogue.
 */
export function safeAddress(text: string, allowedHosts: readonly string[]): URL | undefined {
  const url = /[{}|\\\s]/.test(text) ? null : URL.parse(text);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const isLocal = url.protocol === 'http:' && isLoopbackHost(url.hostname) && isAllowedHost(url, allowedHosts);
  return url.protocol === 'https:' || isLocal ? url : undefined;
}

/** A callback that only this computer can receive. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isLoopbackHost(url.hostname);
}
