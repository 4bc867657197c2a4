import { isFramed } from './host-page.ts';

/** The session's token in the history entry of this tab, which survives that the page is loaded again. */
interface Kept {
  connectToken?: unknown;
}

/** Undefined unless this page was loaded again while a code was valid. */
export function keptToken(): string | undefined {
  const { connectToken } = (history.state ?? {}) as Kept;
  return typeof connectToken === 'string' ? connectToken : undefined;
}

/** Keeps the token as long as the person enters a code elsewhere. An app hands it over again itself. */
export function keepToken(token: string | undefined): void {
  if (isFramed()) return;
  history.replaceState(token === undefined ? null : ({ connectToken: token } satisfies Kept), '');
}
