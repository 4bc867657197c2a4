export type ThemeChoice = 'light' | 'dark' | 'system';

export interface LoadParams {
  /** Without a trailing slash; undefined when it is not an address. */
  apiUrl: string | undefined;
  token: string | undefined;
  theme: ThemeChoice | undefined;
  lang: string | null;
  detectsClosed: boolean;
  isEmbedded: boolean;
  isPreview: boolean;
}

const TOKEN = 'session_token';

export const isTheme = (text: unknown): text is ThemeChoice => ['light', 'dark', 'system'].includes(text as string);

/** The parameters in the address of the page (ui.md 11.1). */
export function readLoadParams(address: string): LoadParams {
  const url = new URL(address);
  const query = url.searchParams;
  const theme = query.get('theme');
  return {
    apiUrl: readApiUrl(query.get('apiURL'), url.origin),
    token: query.get(TOKEN) || undefined,
    theme: isTheme(theme) ? theme : undefined,
    lang: query.get('lang'),
    detectsClosed: query.get('detectClosedAuthWindow') === 'true',
    isEmbedded: query.get('embedded') === 'true',
    isPreview: query.get('preview') === 'true',
  };
}

function readApiUrl(text: string | null, ownOrigin: string): string | undefined {
  const url = URL.parse(text || ownOrigin);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

/** Removes the token from the address, so that it is not copied or bookmarked; undefined when there is none. */
export function withoutToken(address: string): string | undefined {
  const url = new URL(address);
  if (!url.searchParams.has(TOKEN)) return undefined;
  url.searchParams.delete(TOKEN);
  return url.href;
}
