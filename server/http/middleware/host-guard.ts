import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { HomeportError } from '../../lib/homeport-error.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Headers that a tunnel adds; behind one that rewrites `Host` they are how it is recognised (design.md 8). */
const FORWARDING = [
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'forwarded',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'x-original-host',
];
/** What answers on the public address: nothing else does (design.md 8). */
const PUBLIC_PATHS = /^\/(webhook\/.+|oauth\/callback\/?|app-auth\/connect\/?)$/i;

/** Whether a host name of an address means this computer. */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK.has(hostname);

/** Refuses names that DNS rebinding would use, and keeps the public address to its few paths. */
export function hostGuard(options: { publicHost: () => string | undefined }): RequestHandler {
  return (request, _response, next) => {
    const host = hostName(request.headers.host);
    const isLoopback = LOOPBACK.has(host);
    if (!isLoopback && host !== options.publicHost()) {
      next(new HomeportError('misdirected_request', 'Homeport answers on 127.0.0.1 and localhost only.'));
      return;
    }
    const isForwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
    if ((!isLoopback || isForwarded) && !PUBLIC_PATHS.test(request.path)) {
      next(new HomeportError('misdirected_request', 'This address is not served on the public name.'));
      return;
    }
    next();
  };
}

function hostName(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

/** Whether a request comes to this computer's own name and from no tunnel: sockets are served to nobody else. */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  return LOOPBACK.has(hostName(headers.host)) && !FORWARDING.some((name) => headers[name] !== undefined);
}
