/** The keys of an entry on which the ways depend. */
interface EntryKeys {
  auth_mode: string;
  authorization_url?: string | undefined;
  client_registration?: 'dynamic' | 'static' | 'cimd' | undefined;
  device_authorization_url?: string | undefined;
  public_client?: boolean | undefined;
  registration_url?: string | undefined;
}

/** Ways to connect, the ones first that need the least beforehand (providers.md 2.5). */
export const WAYS_IN = [
  'none',
  'key',
  'dynamic_registration',
  'client_metadata_document',
  'device_authorization',
  'public_client',
  'own_app',
] as const;

export type WayIn = (typeof WAYS_IN)[number];

/** Ways that work at once: nothing has to be registered at the provider before. */
const WITHOUT_APP: readonly WayIn[] = ['none', 'key', 'dynamic_registration'];

/** How the hub becomes a client of the provider (auth-and-connect.md 3.8, 3.12). */
export function registrationOf(entry: Pick<EntryKeys, 'auth_mode' | 'client_registration' | 'registration_url'>) {
  if (entry.auth_mode !== 'MCP_OAUTH2' && entry.auth_mode !== 'OAUTH2') return 'static';
  return entry.client_registration ?? (entry.registration_url === undefined ? 'static' : 'dynamic');
}

/** Modes in which the hub is a client that somebody registered at the provider. */
const APP_MODES: readonly string[] = ['OAUTH1', 'OAUTH2', 'APP', 'CUSTOM'];

/** Whether an integration needs an app that a person registered at the provider. */
export function needsOwnApp(entry: EntryKeys): boolean {
  return APP_MODES.includes(entry.auth_mode) && registrationOf(entry) === 'static';
}

/** Whether a client of the provider may lack a secret. The provider refuses one that must have it. */
export function takesPublicClient(entry: EntryKeys): boolean {
  const { auth_mode: mode, device_authorization_url: device, public_client: isPublic } = entry;
  if (mode === 'MCP_OAUTH2' || mode === 'MCP_OAUTH2_GENERIC') return true;
  return isPublic === true || device !== undefined || registrationOf(entry) !== 'static';
}

/** The ways to connect that the entry describes. */
export function waysIn(entry: EntryKeys): WayIn[] {
  const found = new Set(
    needsOwnApp(entry) || OWN_APP_MODES.includes(entry.auth_mode) ? waysWithApp(entry) : waysOfMode(entry),
  );
  return WAYS_IN.filter((way) => found.has(way));
}

/** Whether a person can connect at once, without an app at the provider. */
export function worksWithoutApp(entry: EntryKeys): boolean {
  return waysIn(entry).some((way) => WITHOUT_APP.includes(way));
}

/** The hub's own account or plugin at the provider is needed, too. */
const OWN_APP_MODES: readonly string[] = ['AWS_SIGV4', 'INSTALL_PLUGIN'];

function waysWithApp(entry: EntryKeys): WayIn[] {
  const { authorization_url: page, device_authorization_url: device } = entry;
  return [
    'own_app',
    ...(device === undefined ? [] : (['device_authorization'] as const)),
    ...(entry.public_client && page !== undefined ? (['public_client'] as const) : []),
  ];
}

function waysOfMode(entry: EntryKeys): WayIn[] {
  const { auth_mode: mode, device_authorization_url: device } = entry;
  if (mode === 'NONE') return ['none'];
  if (mode === 'MCP_OAUTH2_GENERIC') return ['dynamic_registration', 'client_metadata_document'];
  if (mode !== 'OAUTH2' && mode !== 'MCP_OAUTH2') return ['key'];
  const registration = registrationOf(entry);
  if (registration === 'static') return ['own_app', 'public_client'];
  const way = registration === 'dynamic' ? 'dynamic_registration' : 'client_metadata_document';
  return device === undefined ? [way] : [way, 'device_authorization'];
}

export type SignInWay = 'redirect' | 'code';

/**
 * How people sign in with the client of an integration, the usual way first. Undefined where the provider offers no sign-in
 * with a code.
 */
export function signInWays(entry: EntryKeys, client: { hasSecret: boolean }): SignInWay[] | undefined {
  if (entry.device_authorization_url === undefined) return undefined;
  const needsNoSecret =
    entry.public_client === true || entry.auth_mode !== 'OAUTH2' || registrationOf(entry) !== 'static';
  const hasRedirect = entry.authorization_url !== undefined && (client.hasSecret || needsNoSecret);
  return hasRedirect ? ['redirect', 'code'] : ['code'];
}
