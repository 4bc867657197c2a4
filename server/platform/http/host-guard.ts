import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { HomeportError } from '../lib/homeport-error.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/**
 * Headers that a tunnel adds. They identify a tunnel that rewrites `Host` (design.md 8). Programs on this computer that
 * call the hub directly send none of them.
 */
const FORWARDING = [
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'forwarded',
  'via',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'x-original-host',
];
/** The only calls that the public address answers (design.md 8). */
const PUBLIC_CALLS =
  /^((POST|GET|HEAD) \/webhook\/.+|GET \/oauth\/callback\/?|GET \/app-auth\/connect\/?|GET \/oauth\/clients\/[\w-]+\/?)$/i;

/** What it answers as well when a person switched it on for agents (agents.md 5). */
const PUBLIC_AGENT_CALLS =
  /^(GET \/\.well-known\/oauth-(protected-resource|authorization-server)(\/agents\/mcp)?|GET \/agents\/authorize|POST \/agents\/(register|token|revoke)|(GET|POST|DELETE) \/agents\/mcp)\/?$/i;

/** What it answers as well when a person switched it on for links of questions (agents.md 12). */
const PUBLIC_ANSWERS = /^(GET|HEAD|POST) \/approvals\/(allow|deny)\/[\w.-]+$/i;

/** What a person switched on at the public address. */
export interface PublicChoices {
  isMcpPublic?: boolean | undefined;
  areAnswersPublic?: boolean | undefined;
}

/** Whether a host name means this computer. */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK.has(hostname);

/**
 * Refuses host names that DNS rebinding would use, and limits the public address to its few calls. Returns whether the
 * request was sent to this computer's own name and not through a tunnel. A request target with a host (`GET
 * http://host/path`) is reduced to its path.
 */
export function checkHost(request: Request, publicHost: string | undefined, choices: PublicChoices = {}): boolean {
  if (!hasOneHost(request)) throw new HomeportError('invalid_headers', 'Send exactly one Host header.');
  const names = hostNames(request);
  const isLocal = names.every(isLoopbackName);
  if (!isLocal && !names.every((name) => isLoopbackName(name) || name === publicHost))
    throw new HomeportError('misdirected_request', 'Homeport answers on 127.0.0.1 and localhost only.');
  if (!request.url.startsWith('/')) {
    request.url = request.url.replace(ABSOLUTE, '/');
    request.originalUrl = request.url;
  }
  if (isLocal && !isForwarded(request)) return true;
  const call = `${request.method} ${request.path}`;
  const isOpen =
    PUBLIC_CALLS.test(call) ||
    (choices.isMcpPublic && PUBLIC_AGENT_CALLS.test(call)) ||
    (choices.areAnswersPublic && PUBLIC_ANSWERS.test(call));
  if (!isOpen) throw new HomeportError('misdirected_request', 'This path is not available at the public address.');
  return false;
}

/**
 * Whether a request was sent to this computer's own name and not through a tunnel. Only such requests may open sockets.
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  return hostNames(request).every(isLoopbackName) && !isForwarded(request);
}

/** Requires one Host header (RFC 9112, 3.2): a proxy in between may have read a different one of two. */
export function hasOneHost({ headers, rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 && headers.host !== '';
}

/** Matches a request target in absolute form up to its path. */
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i;

/** Host names of the header and of a target in absolute form, which takes precedence (RFC 9112, 3.2.2). */
function hostNames({ headers, url = '' }: IncomingMessage): string[] {
  const names = [hostName(headers.host ?? '')];
  if (!url.startsWith('/') && ABSOLUTE.test(url)) names.push(hostName(url.replace(/^[^:]*:\/\/([^/?#]*).*$/s, '$1')));
  return names;
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined);
}
