import { isLoopbackHost } from '../../../platform/lib/address-guard.ts';
import { isAllowedHost } from '../../../platform/lib/outbound-http.ts';

/**
 * Parses an address, or returns undefined when it must not be used. Allowed: https, or plain http to this computer when
 * the environment allows that host; no user name, no fragment, and no characters with a meaning in templates of the
 * catalogue.
 */
export function safeAddress(text: string, allowedHosts: readonly string[]): URL | undefined {
  const url = /[{}|\\\s]/.test(text) ? null : URL.parse(text);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const isLocal = url.protocol === 'http:' && isLoopbackHost(url.hostname) && isAllowedHost(url, allowedHosts);
  return url.protocol === 'https:' || isLocal ? url : undefined;
}

/** Whether only this computer can receive the callback. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isLoopbackHost(url.hostname);
}
