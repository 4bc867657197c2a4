import { createHash, createHmac } from 'node:crypto';

/** Beginnings of names that a provider's headers are not passed on under (webhooks.md 1.4). */
const OWN_PREFIXES = [
  ...['host', 'authorization', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding'],
  ...['cookie', 'set-cookie', 'referer', 'user-agent', 'sec-', 'proxy-', 'www-authenticate', 'server'],
];
/** They belong to the provider's connection to us and would break ours to the receiver. */
const HOP_HEADERS = ['transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'accept-encoding'];

/** What a forwarded webhook keeps of the provider's headers. */
export function forwardedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const isDropped = HOP_HEADERS.includes(key) || OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
    if (value === undefined || isDropped) continue;
    kept[key] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

/** Both signatures over the very bytes that are sent: the official client checks either. */
export function signatureHeaders(key: string, body: string): Record<string, string> {
  return {
    'x-nango-signature': createHash('sha256').update(key).update(body).digest('hex'),
    'x-nango-hmac-sha256': createHmac('sha256', key).update(body).digest('hex'),
  };
}

/** Every header of a webhook. */
export function requestHeaders(parts: {
  headers: Record<string, string>;
  body: string;
  key: string;
  userAgent: string;
}): Record<string, string> {
  const { headers, body, key, userAgent } = parts;
  return { ...headers, 'content-type': 'application/json', 'user-agent': userAgent, ...signatureHeaders(key, body) };
}

const REDACTED = '[redacted]';
const SHOWN_HEADERS: readonly string[] = ['content-type', 'user-agent'];

/** For the log: only our own plain headers have values; a provider's may be secrets under any name. */
export function loggedHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SHOWN_HEADERS.includes(name) ? value : REDACTED]),
  );
}

/** For the dashboard, which shows what was sent; secrets stay out all the same. */
export function hiddenHeaders(
  headers: Record<string, string>,
  isSecretName: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? REDACTED : value]),
  );
}

/** An address without the password it may hold. */
export function hiddenPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/?#@:]*:)[^/?#@]*@/, `$1${REDACTED}@`);
}
