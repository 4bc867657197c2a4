import { joinScopes } from '../connections/credentials/credentials.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { fillAuthUrl } from '../integrations/catalog/template/auth-url.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';

export interface AuthorizationUrlParts {
  entry: ProviderEntry;
  clientId: string;
  redirectUri: string;
  state: string;
  /** Comma-separated. */
  scopes: string;
  /** Scopes of the user's own token; Slack only. */
  userScopes?: string | undefined;
  connectionConfig: Record<string, unknown>;
  /** Parameters of the entry, with their values filled in. */
  entryParams: Record<string, string>;
  /** Absent when the entry disables PKCE. */
  codeChallenge?: string | undefined;
  /** Parameters of the session or the page; the text `undefined` removes a parameter. */
  params: Record<string, string>;
  /** True when the page chose `params`: they cannot set scopes or the client (decision 33). */
  isFromPage: boolean;
}

/**
 * Parameters that connect the callback to this authorization: callers cannot replace them (auth-and-connect.md 3.2).
 */
const RESERVED: ReadonlySet<string> = new Set(['state', 'redirect_uri', 'code_challenge', 'code_challenge_method']);

/** Further parameters that the person who connects cannot choose. */
const RESERVED_OF_PAGES: ReadonlySet<string> = new Set([
  ...RESERVED,
  ...['client_id', 'scope', 'user_scope'],
  // How the provider answers, and requests that replace all other parameters (RFC 9101, RFC 9396, OpenID Connect).
  ...['response_type', 'response_mode', 'request', 'request_uri', 'registration', 'authorization_details', 'claims'],
]);

/** For MCP servers even the catalogue cannot replace these (auth-and-connect.md 3.8). */
const RESERVED_OF_MCP: ReadonlySet<string> = new Set([...RESERVED, 'response_type', 'client_id', 'scope']);

/** The authorization address for the end user (auth-and-connect.md 3.2). */
export function buildAuthorizationUrl(parts: AuthorizationUrlParts): string {
  const { entry } = parts;
  const { base, query } = splitQuery(fillBase(parts));
  for (const [name, value] of paramsOf(parts)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  if (entry.authorization_url_skip_empty) for (const [name, value] of [...query]) if (value === '') query.delete(name);
  const text = writeQuery(query, entry);
  const fragment = entry.authorization_url_fragment;
  const url = fragment === undefined ? `${base}?${text}` : `${base}#${fragment}?${text}`;
  return Object.entries(entry.authorization_url_replacements ?? {}).reduce(
    (address, [from, to]) => address.replace(from, () => to),
    url,
  );
}

/** Later values replace earlier ones; undefined removes a parameter. */
function paramsOf(parts: AuthorizationUrlParts): Array<[string, string | undefined]> {
  const { entry, scopes, userScopes, codeChallenge, params } = parts;
  const reserved = reservedNames(entry, parts.isFromPage ? RESERVED_OF_PAGES : RESERVED);
  const caller = Object.entries(params).filter(([name]) => !reserved.has(name));
  return [
    ['response_type', 'code'],
    ['client_id', parts.clientId],
    ['redirect_uri', parts.redirectUri],
    ['scope', joinScopes(scopes, entry)],
    ['state', parts.state],
    ...Object.entries(parts.entryParams).filter(([name]) => !(isMcp(entry) && RESERVED_OF_MCP.has(name))),
    ...(codeChallenge === undefined
      ? []
      : ([
          ['code_challenge', codeChallenge],
          ['code_challenge_method', 'S256'],
        ] as Array<[string, string]>)),
    ...(userScopes && entry.name === 'slack' ? [['user_scope', userScopes] as [string, string]] : []),
    ...caller.map(([name, value]): [string, string | undefined] => [name, value === 'undefined' ? undefined : value]),
  ];
}

export function isMcp({ auth_mode: mode }: ProviderEntry): boolean {
  return mode === 'MCP_OAUTH2' || mode === 'MCP_OAUTH2_GENERIC';
}

/** The reserved parameters, also under the provider's own names for them. */
function reservedNames(
  { authorization_url_replacements: replacements = {} }: ProviderEntry,
  names: ReadonlySet<string>,
): ReadonlySet<string> {
  const nameIn = (text: string): string => text.replace(/=$/, '');
  const renamed = Object.entries(replacements).filter(([from]) => names.has(nameIn(from)));
  return new Set([...names, ...renamed.map(([, to]) => nameIn(to))]);
}

function fillBase({ entry, connectionConfig }: AuthorizationUrlParts): string {
  if (entry.authorization_url === undefined) {
    throw new HomeportError('url_param_err', `The provider ${entry.name} names no authorization_url.`);
  }
  return fillAuthUrl(entry.authorization_url, {
    connectionConfig,
    fields: entry.connection_config,
    encodesValues: !entry.authorization_url_skip_encode?.includes('base_url'),
  });
}

function splitQuery(address: string): { base: string; query: URLSearchParams } {
  const url = new URL(address);
  return { base: `${url.origin}${url.pathname}`, query: url.searchParams };
}

/** Some providers require scopes unencoded; characters that would end the parameter are still encoded. */
function writeQuery(query: URLSearchParams, entry: ProviderEntry): string {
  const scope = query.get('scope');
  if (scope === null || !entry.authorization_url_skip_encode?.includes('scopes')) return query.toString();
  const others = new URLSearchParams(query);
  others.delete('scope');
  return `${others.toString()}&scope=${scope.replace(/[\s#&]/g, encodeURIComponent)}`;
}
