import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { IssueCredentials } from '../token-context.ts';

/** Loaded on first use, because their libraries would slow every start. */
const LAZY_ISSUERS: Readonly<Record<string, () => Promise<IssueCredentials>>> = {
  OAUTH2_CC: async () => (await import('./issue-client-credentials.ts')).issueClientCredentials,
  TWO_STEP: async () => (await import('./issue-two-step.ts')).issueTwoStep,
  JWT: async () => (await import('./issue-other-modes.ts')).issueJwt,
  SIGNATURE: async () => (await import('./issue-other-modes.ts')).issueSignature,
  BILL: async () => (await import('./issue-other-modes.ts')).issueBill,
  APP: async () => (await import('./issue-github-app.ts')).issueGithubApp,
  CUSTOM: async () => (await import('./issue-github-app.ts')).issueGithubApp,
  AWS_SIGV4: async () => (await import('./issue-other-modes.ts')).issueAwsSigv4,
};

/**
 * The function that issues credentials of a mode from entered values, or again from stored ones; undefined for modes
 * with a redirect.
 */
export async function findIssuer(mode: string): Promise<IssueCredentials | undefined> {
  if (Object.hasOwn(LAZY_ISSUERS, mode)) return LAZY_ISSUERS[mode]?.();
  return Object.hasOwn(UNCHANGED_ISSUERS, mode) ? UNCHANGED_ISSUERS[mode] : undefined;
}

/** Credentials that are stored as they were entered (auth-and-connect.md 2.3). */
const UNCHANGED_ISSUERS: Readonly<Record<string, IssueCredentials>> = {
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
  // The plugin's credentials belong to the developer.
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
