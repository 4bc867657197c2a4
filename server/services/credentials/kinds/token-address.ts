import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import type { AuthMode } from '../../../catalog/provider-modes.ts';
import { fillAuthUrl } from '../../../catalog/template/auth-url.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';

/** The entry's token address for a mode, filled from the connection's configuration and the credentials. */
export function tokenAddress(context: TokenContext, mode: AuthMode, credentials: Record<string, unknown>): string {
  const { token_url: source } = context.entry;
  const address = typeof source === 'object' ? source[mode] : source;
  if (!address) throw missingTokenUrl(context.entry);
  return fillAddress(context, address, credentials);
}

export function fillAddress(
  { entry, connectionConfig }: TokenContext,
  address: string,
  credentials: Record<string, unknown>,
): string {
  return fillAuthUrl(address, { connectionConfig, credentials, fields: entry.connection_config });
}

export function missingTokenUrl({ name }: ProviderEntry): HomeportError {
  return new HomeportError(
    'missing_token_url',
    `The provider ${name} has no token_url in the catalogue. Add one to its entry.`,
  );
}
