import { z } from 'zod';
import { instant, openObject, rowId } from '../contract/response-fields.ts';

/** Responses under `/connections` (http-api.md 4 and 5). */

const organization = z.object({ id: z.string(), display_name: z.string().nullable() });

export const endUserResponse = z
  .object({
    id: z.string(),
    display_name: z.string().nullable(),
    email: z.string().nullable(),
    tags: openObject.nullable(),
    organization: organization.nullable(),
  })
  .meta({ id: 'EndUser' });

const shared = {
  id: rowId,
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  errors: z.array(z.object({ type: z.enum(['auth', 'sync']), log_id: z.string() })),
  end_user: endUserResponse.nullable(),
  tags: z.record(z.string(), z.string()),
  metadata: openObject.nullable(),
};

/** With `includeStatus`. The worst that is true: a sign-in is needed, a sync fails, all syncs are paused (design.md 7.53). */
const status = z.enum(['ok', 'auth_error', 'sync_error', 'paused']);
const listItem = z
  .object({ ...shared, status: status.optional(), created: instant })
  .meta({ id: 'ConnectionListItem' });

const expires = { expires_at: instant.optional() };
const override = {
  config_override: z.object({ client_id: z.string().optional(), client_secret: z.string().optional() }).optional(),
};

/** Contains refresh tokens only when the caller asked for them. */
const oauth2 = z.looseObject({
  type: z.literal('OAUTH2'),
  access_token: z.string(),
  refresh_token: z.string().optional(),
  raw: openObject,
  ...expires,
  ...override,
});

const clientCredentials = z.looseObject({
  type: z.literal('OAUTH2_CC'),
  token: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  raw: openObject,
  ...expires,
});

const oauth1 = z.looseObject({
  type: z.literal('OAUTH1'),
  oauth_token: z.string(),
  oauth_token_secret: z.string(),
  raw: openObject,
});

const app = z.looseObject({ type: z.literal('APP'), access_token: z.string(), raw: openObject, ...expires });

/** Credentials of a connection by `type` (http-api.md 4). */
const credentials = z
  .union([
    oauth2,
    clientCredentials,
    oauth1,
    z.looseObject({ type: z.literal('BASIC'), username: z.string(), password: z.string() }),
    z.looseObject({ type: z.literal('API_KEY'), apiKey: z.string() }),
    z.looseObject({ type: z.literal('TBA'), token_id: z.string(), token_secret: z.string(), ...override }),
    app,
    z.looseObject({ type: z.enum(['CUSTOM', 'JWT', 'SIGNATURE', 'TWO_STEP', 'BILL', 'AWS_SIGV4']), ...expires }),
    // For integrations without authentication, and for keys that may not read credentials.
    z.object({}),
  ])
  .meta({ id: 'Credentials' });

export const connectionResponse = z
  .object({
    ...shared,
    connection_config: openObject,
    webhook_url_override: z.string().nullable(),
    created_at: instant,
    updated_at: instant,
    last_fetched_at: instant.nullable(),
    credentials,
  })
  .meta({ id: 'Connection' });

export const connectionsResponse = z.object({ connections: z.array(listItem) });
/** `success` is false when another caller removed the connection first. */
export const connectionRemovedResponse = z.object({ success: z.boolean() });

/** The body of the request, unchanged. */
export const metadataResponse = z.object({
  connection_id: z.union([z.string(), z.array(z.string())]),
  provider_config_key: z.string(),
  metadata: openObject,
});
/** The body of the request with the id of the connection. */
export const flatImportResponse = z.looseObject({ connection_id: z.string() });
