/** Allows calls of tools over MCP. */
export const MCP_SCOPE = 'environment:mcp';
/** Allows to build functions over MCP; a deploy still asks a person. */
export const BUILD_SCOPE = 'environment:manage_mcp';
/** Allows to create, list and end agent sessions. */
export const AGENT_SESSIONS_SCOPE = 'environment:agent_sessions:write';
/** Grants every scope of an environment. */
export const WHOLE_ENVIRONMENT = 'environment:*';

/** Scopes of keys by noun (http-api.md 1.3, design.md 7.17). */
export const KEY_SCOPES: Record<string, readonly string[]> = {
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
  records: ['read', 'query', 'write'],
  destinations: ['read', 'write'],
  logs: ['read'],
  actions: ['execute'],
  variables: ['read'],
  settings: ['read', 'write'],
  webhook_signing_key: ['rotate'],
  agent_sessions: ['write'],
};
/** Scopes that consist of the noun only. */
export const SINGLE_KEY_SCOPES = ['deploy', 'proxy', 'mcp', 'manage_mcp'];

/** Sets of scopes that people choose from (ui.md 6.14). Reading does not include credentials or variables. */
export const KEY_PRESETS = {
  full: [WHOLE_ENVIRONMENT],
  read: [
    'environment:integrations:list',
    'environment:integrations:list_functions',
    'environment:integrations:read',
    'environment:connections:list',
    'environment:connections:read',
    'environment:syncs:read',
    'environment:functions:list',
    'environment:functions:read',
    'environment:records:read',
    'environment:records:query',
    'environment:logs:read',
  ],
  proxy: ['environment:proxy'],
  agent: [MCP_SCOPE, AGENT_SESSIONS_SCOPE],
  build: [BUILD_SCOPE],
} as const satisfies Record<string, readonly string[]>;

export type KeyPreset = keyof typeof KEY_PRESETS;

/** Whether `held` includes `wanted`. `a:b:*` grants every scope that starts with `a:b:` (http-api.md 1.3). */
export function grants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => scope === wanted || (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))));
}
