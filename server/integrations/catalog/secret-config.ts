import type { ProviderEntry } from './entry-schema.ts';

/** Secret whatever the catalogue says: tokens that connections of some providers have in their configuration. */
const ALWAYS_SECRET: readonly string[] = [
  'userCredentials',
  'jwtToken',
  'sharepointAccessToken',
  'botFrameworkAccessToken',
  'oauth_client_secret',
  'oauth_client_info',
  'oauth_code_verifier',
];

/**
 * Splits a connection configuration into the part that is readable in the database and the part that is sealed
 * (design.md 4).
 */
export function splitConfig(
  config: Record<string, unknown>,
  entry: Pick<ProviderEntry, 'connection_config'> | undefined,
): { readable: Record<string, unknown>; secret: Record<string, unknown> } {
  const fields = entry?.connection_config ?? {};
  const readable: Record<string, unknown> = {};
  const secret: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(config)) {
    const isSecret = ALWAYS_SECRET.includes(key) || fields[key]?.secret === true;
    (isSecret ? secret : readable)[key] = value;
  }
  return { readable, secret };
}
