import type { Screen } from './screens.ts';

/** The page of the documentation about each screen; a test looks whether it is there. */
export const SCREEN_HELP: Record<Screen['id'], string> = {
  overview: 'first-ten-minutes',
  integrations: 'connect-an-account',
  connections: 'connect-an-account',
  functions: 'functions',
  webhooks: 'provider-webhooks',
  logs: 'troubleshooting',
  query: 'queries',
  destinations: 'records',
  playground: 'tokens-and-proxy',
  api: 'api',
  apps: 'environments-and-keys',
  agents: 'agents',
  settings: 'settings',
};
