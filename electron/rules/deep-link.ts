/** The request in a `homeport://` address. */
export type DeepLink = { kind: 'open'; path: string } | { kind: 'retry' } | { kind: 'quit' };

export const SCHEME = 'homeport';
const APP_PATH = '/app/';
const STAND_IN = 'http://stand-in.invalid';

/**
 * Parses `homeport://open/<path below /app>`, `homeport://retry` and `homeport://quit`; undefined for anything else.
 * The resulting path is always below `/app`, so no spelling can name another host or another page of the server.
 */
export function parseDeepLink(text: string): DeepLink | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== `${SCHEME}:`) return undefined;
  if (url.host === 'retry' || url.host === 'quit') return { kind: url.host };
  if (url.host !== 'open') return undefined;
  // Here `\` is an ordinary character, but in the address of a page it is a separator.
  if (/\\|%5c/i.test(url.pathname)) return undefined;
  const below = url.pathname
    .replace(/^\/+/, '')
    .replace(/^app(?=\/|$)/, '')
    .replace(/^\/+/, '');
  const target = URL.parse(`${APP_PATH}${below}${url.search}${url.hash}`, STAND_IN);
  if (target?.origin !== STAND_IN || !target.pathname.startsWith(APP_PATH)) return undefined;
  return { kind: 'open', path: target.href.slice(STAND_IN.length) };
}

/** The deep link among the arguments of a second start. */
export function findDeepLink(argv: string[]): DeepLink | undefined {
  return argv.map(parseDeepLink).find((link) => link?.kind === 'open');
}
