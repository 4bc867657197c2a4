import type { ProviderEntry } from '../../catalog/entry-schema.ts';

/** Always secret, whatever the catalogue says: the user half of a combined app connection, and the app's own token. */
const ALWAYS_SECRET = ['userCredentials', 'jwtToken'];

/** Parts a connection configuration into what may be read in the database and what is sealed (design.md 4). */
export function splitConfig(
  config: Record<string, unknown>,
  entry: ProviderEntry | undefined,
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
