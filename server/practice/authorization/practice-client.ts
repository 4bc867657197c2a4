import type { Ids } from '../../platform/lib/ids.ts';

/**
 * The registered app: an OAuth 2 client, and an OAuth 1.0a consumer with the same two values. Guide and catalogue show
 * the secret, because it protects nothing.
 */
export const PRACTICE_CLIENT = {
  id: 'practice-client',
  secret: 'practice-client-secret',
  name: 'Practice client',
};

/**
 * A random secret with a prefix that identifies its kind in a log or a leak. API keys start with `practice-`, so the
 * underscore distinguishes the two.
 */
export function newSecret(
  ids: Ids,
  kind: 'practice_code' | 'practice_at' | 'practice_rt' | 'practice_ticket' | 'practice_o1',
): string {
  return `${kind}_${ids.hex(32)}`;
}

/** Scopes of an app, with the sentences on the consent page. */
export const PRACTICE_SCOPES = {
  'issues:read': 'Read issues, comments, files and exports',
  'issues:write': 'Create, change and delete issues, upload files',
  'directory:read': 'Read users and labels',
} as const;

export type PracticeScope = keyof typeof PRACTICE_SCOPES;

export const ALL_SCOPES = Object.keys(PRACTICE_SCOPES) as PracticeScope[];

/** Reads the `scope` parameter (RFC 6749, 3.3: names separated by spaces, in any order). None means reading issues. */
export function parseScopes(text: string | undefined): { scopes: PracticeScope[]; unknown: string[] } {
  const asked = new Set((text ?? '').split(' ').filter((name) => name !== ''));
  if (asked.size === 0) return { scopes: ['issues:read'], unknown: [] };
  return {
    scopes: ALL_SCOPES.filter((scope) => asked.has(scope)),
    unknown: [...asked].filter((name) => !Object.hasOwn(PRACTICE_SCOPES, name)),
  };
}

/** A person with an account at the tracker, selectable on the consent page. */
export interface PracticePerson {
  id: string;
  login: string;
  name: string;
  email: string;
}

export const PRACTICE_PEOPLE: readonly PracticePerson[] = ['admin', 'member', 'guest'].map((login) => ({
  id: `user-${login}`,
  login,
  name: `Practice ${login}`,
  email: `${login}@practice.example.test`,
}));

/** The only workspace of the tracker. Token responses contain it, as those of many providers do. */
export const PRACTICE_WORKSPACE = 'practice-workspace';

/** The callback path of every hub. Another path on the same host shows how a mismatch is reported. */
export const CALLBACK_PATH = '/oauth/callback';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the address if it is registered for the practice client, else undefined. Registered are the callback on every
 * port of this computer (RFC 8252, 7.3) and `others`, further addresses of the hub. The query is ignored: OAuth 1.0a
 * has no `state`, so the caller's state is in the query.
 */
export function registeredRedirect(address: string | undefined, others: readonly string[]): URL | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url?.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  const isOnThisComputer =
    /^https?:$/.test(url.protocol) && LOOPBACK_NAMES.includes(url.hostname) && url.pathname === CALLBACK_PATH;
  const withoutQuery = `${url.origin}${url.pathname}`;
  return isOnThisComputer || others.some((other) => isSameAddress(other, withoutQuery)) ? url : undefined;
}

function isSameAddress(registered: string, asked: string): boolean {
  const url = URL.parse(registered);
  return url !== null && `${url.origin}${url.pathname}` === asked;
}

/** The redirect address with the response added to its query. */
export function redirectWith(address: string, response: Record<string, string | undefined>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(response)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}
