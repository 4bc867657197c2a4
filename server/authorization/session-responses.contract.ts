import { z } from 'zod';
import { endUserResponse } from '../connections/connection-responses.contract.ts';
import { dataOf, instant, openObject } from '../contract/response-fields.ts';
import { connectUiSettings } from './connect-ui.contract.ts';

/** Responses under `/connect` (http-api.md 6). The contract mixes camelCase and snake_case here. */

export const issuedSessionResponse = dataOf(
  z.object({ token: z.string(), connect_link: z.string(), expires_at: instant }),
);

const defaults = z.object({
  connection_config: openObject.optional(),
  authorization_params: z.record(z.string(), z.string()).optional(),
});

export const sessionResponse = dataOf(
  z.object({
    endUser: endUserResponse.nullable(),
    connectUISettings: connectUiSettings,
    allowed_integrations: z.array(z.string()).optional(),
    integrations_config_defaults: z.record(z.string(), defaults).optional(),
    overrides: z.record(z.string(), z.object({ docs_connect: z.string().optional() })).optional(),
    isReconnecting: z.literal(true).optional(),
    websocketsPath: z.string().optional(),
  }),
);

/** A connection that an end user created without a provider's page. The frontend client passes it on unchanged. */
export const connectedResponse = z.strictObject({ connectionId: z.string(), providerConfigKey: z.string() });

/** A sign-in with a code (auth-and-connect.md 3.12). */
export const deviceSignInResponse = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('pending'),
    user_code: z.string(),
    verification_uri: z.string(),
    /** With the code in it. */
    verification_uri_complete: z.string().optional(),
    expires_at: instant,
  }),
  connectedResponse.extend({ status: z.literal('connected') }),
  z.strictObject({
    status: z.enum(['denied', 'expired', 'failed']),
    error: z.strictObject({ code: z.string(), message: z.string() }),
  }),
  z.strictObject({ status: z.literal('none') }),
]);

/** The hub as a client of other servers; the names are those of RFC 7591. */
export const clientDocument = z.strictObject({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
});
