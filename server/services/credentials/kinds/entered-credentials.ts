import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Mint } from '../token-context.ts';

/** Credentials that are stored as they were entered (auth-and-connect.md 2.3). */
export const ENTERED: Readonly<Record<'API_KEY' | 'BASIC' | 'NONE' | 'TBA' | 'INSTALL_PLUGIN', Mint>> = {
  API_KEY: async (_context, { apiKey }) => ({ credentials: { type: 'API_KEY', apiKey } }),
  BASIC: async (_context, { username, password }) => ({ credentials: { type: 'BASIC', username, password } }),
  NONE: async () => ({ credentials: {} }),
  TBA: async (_context, given) => ({
    credentials: {
      type: 'TBA',
      token_id: given['token_id'],
      token_secret: given['token_secret'],
      config_override: clientOverride(given),
    },
  }),
  // The plugin's credentials are the developer's own.
  INSTALL_PLUGIN: async ({ custom, entry }) => {
    const { username, password } = custom;
    if (!username || !password) {
      throw new HomeportError(
        'provider_config_err',
        `The integration of ${entry.display_name} needs the username and the password of the plugin.`,
      );
    }
    return { credentials: { type: 'BASIC', username, password } };
  },
};

function clientOverride(given: Record<string, unknown>): Record<string, unknown> {
  const { oauth_client_id_override: id, oauth_client_secret_override: secret } = given;
  return { ...(id ? { client_id: id } : {}), ...(secret ? { client_secret: secret } : {}) };
}
