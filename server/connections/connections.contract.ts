import { z } from 'zod';
import {
  connectionId,
  endUser,
  integrationId,
  jsonObject,
  stringBool,
  tags,
  webhookUrlOverride,
} from '../contract/fields.ts';

/** Bodies and queries of `/connections` (http-api.md 4). */

/** Numbers below this are seconds since the epoch, others milliseconds: as milliseconds they would be before 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** A date: text that JavaScript can parse, or seconds or milliseconds since the epoch, as a number or as its digits. */
const expiresAt = z.unknown().transform((value, context) => {
  const number = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  const date = new Date(
    typeof number === 'number' ? toMilliseconds(number) : typeof number === 'string' ? number : Number.NaN,
  );
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  context.addIssue({
    code: 'invalid_type',
    expected: 'date',
    input: value,
    message: 'Invalid input: expected a date.',
  });
  return z.NEVER;
});

function toMilliseconds(number: number): number {
  return Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number;
}

/** Seconds. The limit of about three thousand years keeps the resulting date in the valid range. */
const expiresIn = z.number().min(0).max(100_000_000_000);

const configOverride = z.strictObject({
  client_id: z.string().min(1).max(255).optional(),
  client_secret: z.string().min(1).max(2048).optional(),
});

const secret = z.string().min(1).max(2048);

const oauth2 = z
  .strictObject({
    type: z.literal('OAUTH2'),
    access_token: z.string().min(1).max(16_384),
    refresh_token: z.string().min(1).max(16_384).optional(),
    expires_at: expiresAt.optional(),
    expires_in: expiresIn.optional(),
    no_expiration: z.boolean().optional(),
    config_override: configOverride.optional(),
    oauth_client_id_override: z.string().min(1).max(255).optional(),
    oauth_client_secret_override: z.string().min(1).max(2048).optional(),
    raw: jsonObject.optional(),
  })
  .superRefine((value, context) => {
    if (value.expires_at === undefined && value.expires_in === undefined && value.no_expiration !== true) {
      context.addIssue({
        code: 'custom',
        path: ['expires_at'],
        message:
          'Give expires_at or expires_in. For a token that never expires send "no_expiration": true inside credentials.',
      });
    }
  });

const apiKey = z
  .strictObject({
    type: z.literal('API_KEY'),
    apiKey: z.string().min(1).max(1024).optional(),
    api_key: z.string().min(1).max(1024).optional(),
  })
  .superRefine((value, context) => {
    if (value.apiKey === undefined && value.api_key === undefined) {
      context.addIssue({
        code: 'invalid_type',
        expected: 'string',
        input: undefined,
        path: ['apiKey'],
        message: 'Invalid input: expected string, received undefined',
      });
    }
  });

const app = { app_id: z.string().min(1).max(255), installation_id: z.string().min(1).max(255) };

/** Credentials to import, by `type` (http-api.md 4). The names of the seed and of the reference are both accepted. */
export const importCredentials = z.discriminatedUnion('type', [
  oauth2,
  z.strictObject({
    type: z.literal('OAUTH2_CC'),
    token: z.string().min(1).max(4096),
    client_id: z.string().min(1).max(255),
    client_secret: secret,
    client_certificate: z.string().max(10_000).optional(),
    client_private_key: z.string().max(10_000).optional(),
    expires_at: expiresAt.optional(),
  }),
  z.strictObject({
    type: z.literal('OAUTH1'),
    oauth_token: secret,
    oauth_token_secret: secret,
    raw: jsonObject.optional(),
  }),
  apiKey,
  z.strictObject({ type: z.literal('BASIC'), username: z.string().max(1024), password: z.string().max(1024) }),
  z.strictObject({ type: z.literal('NONE') }),
  z.strictObject({
    type: z.literal('TBA'),
    token_id: secret,
    token_secret: secret,
    config_override: configOverride.optional(),
  }),
  z.strictObject({ type: z.literal('APP'), ...app }),
  z.strictObject({ type: z.literal('CUSTOM'), ...app }),
]);

export const createConnectionBody = z.strictObject({
  provider_config_key: integrationId,
  credentials: importCredentials,
  connection_id: connectionId.optional(),
  metadata: jsonObject.optional(),
  connection_config: z.looseObject({ oauth_scopes_override: z.array(z.string()).optional() }).optional(),
  end_user: endUser.optional(),
  tags: tags.optional(),
  webhook_url_override: webhookUrlOverride.optional(),
});

export const patchConnectionBody = z.strictObject({
  end_user: endUser.optional(),
  tags: tags.optional(),
  webhook_url_override: webhookUrlOverride.optional(),
});

const filterText = z.string().min(1).max(255);

export const listConnectionsQuery = z.strictObject({
  connectionId: filterText.optional(),
  search: filterText.optional(),
  endUserId: filterText.optional(),
  endUserOrganizationId: filterText.optional(),
  /** Adds `status` (design.md 7.53). */
  includeStatus: stringBool.default(false),
  integrationId: z
    .string()
    .min(1)
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .optional(),
  tags: tags.optional(),
  limit: z.coerce.number().int().min(1).max(2000).optional(),
  page: z.coerce.number().int().min(0).optional(),
});

export const getConnectionQuery = z.strictObject({
  provider_config_key: integrationId,
  force_refresh: stringBool.default(false),
  refresh_token: stringBool.default(false),
  refresh_github_app_jwt_token: stringBool.default(false),
});

export const connectionKeyQuery = z.strictObject({ provider_config_key: integrationId });
export const connectionParams = z.strictObject({ connectionId });

export const metadataBody = z.strictObject({
  connection_id: z.union([connectionId, z.array(connectionId)]),
  provider_config_key: integrationId,
  metadata: jsonObject,
});

export type ImportCredentials = z.infer<typeof importCredentials>;
export type CreateConnectionBody = z.infer<typeof createConnectionBody>;
export type PatchConnectionBody = z.infer<typeof patchConnectionBody>;

/**
 * Body of the deprecated `POST /connection` (http-api.md 5). Its credentials are at the root, and their names depend on
 * the auth mode of the integration's provider, so they are checked after the integration is read.
 */
export const flatImportBody = z.looseObject({
  connection_id: connectionId.nullish(),
  metadata: jsonObject.nullish(),
  connection_config: jsonObject.nullish(),
  webhook_url_override: webhookUrlOverride.nullish(),
});

export type FlatImportBody = z.infer<typeof flatImportBody>;
