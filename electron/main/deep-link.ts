/** What a `homeport://` address asks for. */
export type DeepLink = { kind: 'open'; path: string } | { kind: 'retry' } | { kind: 'quit' };

export const SCHEME = 'homeport';

/**
 * Reads `homeport://open/<path>`, `homeport://retry` and `homeport://quit`; anything else is undefined. The path
 * is resolved against a stand-in origin, so that no spelling of it can name another host.
 */
export function parseDeepLink(text: string): DeepLink | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== `${SCHEME}:`) return undefined;
  if (url.host === 'retry' || url.host === 'quit') return { kind: url.host };
  if (url.host !== 'open') return undefined;
  const stand = 'http://stand-in.invalid';
  const target = URL.parse(`/${url.pathname.replace(/^[/\\]+/, '')}${url.search}${url.hash}`, stand);
  return target?.origin === stand ? { kind: 'open', path: target.href.slice(stand.length) } : undefined;
}

/** The deep link among the arguments of a second start. */
export function findDeepLink(argv: string[]): DeepLink | undefined {
  return argv.map(parseDeepLink).find((link) => link?.kind === 'open');
}
