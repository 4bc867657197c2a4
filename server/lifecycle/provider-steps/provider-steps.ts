import { POST_CONNECTION_STEPS } from './post-connection-steps.ts';
import type { PreDeletionStep } from './step-context.ts';
import { accessTokenOf, requireSuccess } from './step-requests.ts';
import { VERIFICATION_STEPS } from './verification-steps.ts';

const STEPS = {
  /** Revokes the refresh token, unless the connection's metadata says that other connections share it. */
  hubspotPreConnectionDeletion: async (context) => {
    const { credentials, metadata } = context.connection;
    const token = credentials['refresh_token'];
    if (typeof token !== 'string' || token === '' || metadata['skipTokenRevocation'] === true) return;
    const response = await context.requestPlain({
      method: 'DELETE',
      url: `https://api.hubapi.com/oauth/v1/refresh-tokens/${encodeURIComponent(token)}`,
    });
    requireSuccess(context, 'the revocation of the token', response);
  },
  /** Uninstalls the app from the workspace; its region does not matter here. */
  intercomPreConnectionDeletion: async (context) => {
    const response = await context.request({
      method: 'POST',
      baseUrl: 'https://api.intercom.io',
      endpoint: '/auth/uninstall',
    });
    requireSuccess(context, 'the removal of the app', response);
  },
  /** Revokes the token that the request carries. */
  linearPreConnectionDeletion: async (context) => {
    const response = await context.request({ method: 'POST', endpoint: '/oauth/revoke' });
    requireSuccess(context, 'the revocation of the token', response);
  },
  /** OneLogin has a separate authorization scheme for this call; it replaces the connection's header. */
  oneloginPreConnectionDeletion: async (context) => {
    const { credentials } = context.connection;
    const clientId = credentials['client_id'] ?? context.app.clientId ?? '';
    const clientSecret = credentials['client_secret'] ?? context.app.clientSecret ?? '';
    const response = await context.request({
      method: 'POST',
      endpoint: '/auth/oauth2/revoke',
      headers: { authorization: `client_id:${clientId}, client_secret:${clientSecret}` },
      json: { access_token: accessTokenOf(context) },
    });
    requireSuccess(context, 'the revocation of the token', response);
  },
} satisfies Record<string, PreDeletionStep>;

/** Steps by the name in a catalogue entry's `pre_connection_deletion_script` (auth-and-connect.md 3.11). */
export const PRE_DELETION_STEPS: ReadonlyMap<string, PreDeletionStep> = new Map(Object.entries(STEPS));

/**
 * Names of all steps. Together with the names of webhook routings, these are the handlers that a catalogue entry may
 * name.
 */
export const STEP_NAMES: ReadonlySet<string> = new Set([
  ...POST_CONNECTION_STEPS.keys(),
  ...PRE_DELETION_STEPS.keys(),
  ...VERIFICATION_STEPS.keys(),
]);
