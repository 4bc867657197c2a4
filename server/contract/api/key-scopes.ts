import { z } from 'zod';

/** Calling tools over MCP. */
export const MCP_SCOPE = 'environment:mcp';
/** Grants everything an environment has. */
export const WHOLE_ENVIRONMENT = 'environment:*';

/** What a key may be allowed (http-api.md 1.3, design.md 7.17). */
const SCOPES: Record<string, readonly string[]> = {
  integrations: [
    'list',
    'list_credentials',
    'list_functions',
    'read',
    'read_credentials',
    'create',
    'update',
    'delete',
  ],
  connections: ['list', 'list_credentials', 'read', 'read_credentials', 'create', 'update', 'delete'],
  connect_sessions: ['write'],
  syncs: ['read', 'execute', 'update', 'variant:create', 'variant:delete'],
  functions: ['list', 'read', 'delete', 'compile', 'dryrun', 'invocations'],
  records: ['read', 'write'],
  logs: ['read'],
  actions: ['execute'],
  variables: ['read'],
  settings: ['read', 'write'],
  webhook_signing_key: ['rotate'],
};
/** Scopes without a part of their own. */
const SINGLE = ['deploy', 'proxy', 'mcp'];

const single = Object.entries(SCOPES).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}:${verb}`));
const groups = ['*', 'syncs:variant:*', ...Object.keys(SCOPES).map((noun) => `${noun}:*`)];
const known = new Set([...SINGLE, ...single, ...groups].map((name) => `environment:${name}`));

export const keyScopes = z
  .array(z.string().refine((scope) => known.has(scope), 'There is no such scope.'))
  .min(1)
  .max(known.size);

/** `a:b:*` grants everything that starts with `a:b:` (http-api.md 1.3). */
export function grants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => scope === wanted || (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))));
}
