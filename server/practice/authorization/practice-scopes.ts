/** Scopes of an app, with the sentences on the consent page. */
export const PRACTICE_SCOPES = {
  'issues:read': 'Read issues, comments, files and exports',
  'issues:write': 'Create, change and delete issues, upload files',
  'directory:read': 'Read users and labels',
} as const;

export type PracticeScope = keyof typeof PRACTICE_SCOPES;

export const ALL_SCOPES = Object.keys(PRACTICE_SCOPES) as PracticeScope[];

/** Granted when an app requests no scope. */
const SCOPES_WITHOUT_ASKING: PracticeScope[] = ['issues:read'];

/** Reads the `scope` parameter (RFC 6749, 3.3: names separated by spaces, in any order). */
export function parseScopes(text: string | undefined): { scopes: PracticeScope[]; unknown: string[] } {
  const asked = new Set((text ?? '').split(' ').filter((name) => name !== ''));
  if (asked.size === 0) return { scopes: SCOPES_WITHOUT_ASKING, unknown: [] };
  return {
    scopes: ALL_SCOPES.filter((scope) => asked.has(scope)),
    unknown: [...asked].filter((name) => !Object.hasOwn(PRACTICE_SCOPES, name)),
  };
}
