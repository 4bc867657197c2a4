const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The origin with one name for this computer: all its names count as one origin. */
function canonicalOrigin(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return `${url.protocol}//${LOOPBACK.has(url.hostname) ? 'localhost' : url.hostname}:${url.port}`;
}

export function isSameOrigin(one: string, other: string): boolean {
  const origin = canonicalOrigin(one);
  return origin !== undefined && origin === canonicalOrigin(other);
}

export function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && LOOPBACK.has(url.hostname);
}
