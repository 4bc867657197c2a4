/** First path segments below an environment that the dashboard has, and those it redirects. */
const SCREENS: Readonly<Record<string, string>> = {
  integrations: 'integrations',
  integration: 'integrations',
  connections: 'connections',
  functions: 'functions',
  logs: 'logs',
  activity: 'logs',
  webhooks: 'webhooks',
  query: 'query',
  destinations: 'destinations',
  playground: 'playground',
  agents: 'agents',
  mcp: 'agents',
  apps: 'apps',
  api: 'api',
  'environment-settings': 'environment-settings',
  'project-settings': 'environment-settings',
  'getting-started': 'getting-started',
};

/**
 * The target of a pasted address, below the base of the dashboard: one of its own addresses, a desktop link
 * (`homeport://open/…`), or an address of another server with the same structure. An unknown environment becomes the
 * current one. Undefined for any other text.
 */
export function pathOfAddress(
  text: string,
  { env, environments }: { env: string; environments: readonly string[] },
): string | undefined {
  const address = text.trim();
  if (!/^(https?|homeport):\/\/\S+$/.test(address) || !URL.canParse(address)) return undefined;
  const { pathname, search, hash, protocol } = new URL(address);
  // In a desktop link, `open` stands in the place of the host.
  const parts = pathname.split('/').filter((part) => part !== '');
  if (protocol !== 'homeport:' && parts[0] === 'app') parts.shift();
  const [named = '', screen = '', ...rest] = parts;
  if (screen === '') return environments.includes(named) ? `/${named}${search}${hash}` : undefined;
  const known = SCREENS[screen];
  if (known === undefined) return undefined;
  const shown = environments.includes(named) ? named : env;
  return `/${[shown, known, ...rest].join('/')}${search}${hash}`;
}

/** A UUID or another long id without spaces, which is looked up by itself. */
export const looksLikeId = (text: string): boolean => /^[\w.:/=+@~|-]{3,255}$/.test(text) && /\d/.test(text);
