import { HomeportError } from '../platform/lib/homeport-error.ts';

/** First path segments that the server uses itself (ui.md 2). */
const RESERVED_NAMES = new Set([
  'action',
  'api',
  'api-auth',
  'app',
  'app-auth',
  'assets',
  'auth',
  'cli',
  'connect',
  'connection',
  'connections',
  'docs',
  'environment',
  'environment-variables',
  'environments',
  'export',
  'functions',
  'health',
  'images',
  'import',
  'integrations',
  'mcp',
  'oauth',
  'pairings',
  'providers',
  'proxy',
  'ready',
  'records',
  'scripts',
  'session',
  'sessions',
  'settings',
  'sync',
  'v1',
  'webhook',
  'welcome',
]);

/** Throws for a name that cannot be used: the dashboard's addresses begin with the name of an environment. */
export function checkEnvironmentName(name: string): void {
  if (!RESERVED_NAMES.has(name)) return;
  const message = `"${name}" is the name of a path of the server. Choose another one.`;
  throw new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: ['name'] }] });
}
