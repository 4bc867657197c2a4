import { z } from 'zod';
import { displayName, empty, integrationId, providerName } from '../contract/fields.ts';

/** Bodies, queries and answers of `/integrations` (http-api.md 3). */

const scopes = z.union([z.literal(''), z.string().regex(/^[0-9a-zA-Z:/_.*-]+(,[0-9a-zA-Z:/_.*-]+)*$/)]);
const pem = z.string().startsWith('-----BEGIN RSA PRIVATE KEY----').endsWith('-----END RSA PRIVATE KEY-----');

const clientCredentials = {
  client_id: z.string().min(1).max(255),
  client_secret: z.string().min(1),
  scopes: scopes.optional(),
  webhook_secret: z.string().max(255).optional(),
};

export const integrationCredentials = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('OAUTH1'), ...clientCredentials }),
  z.strictObject({
    type: z.literal('OAUTH2'),
    ...clientCredentials,
    /** Only providers that accept clients without a secret do without it; the service checks it. */
    client_secret: clientCredentials.client_secret.optional(),
  }),
  z.strictObject({ type: z.literal('TBA'), ...clientCredentials }),
  z.strictObject({
    type: z.enum(['MCP_OAUTH2', 'MCP_OAUTH2_GENERIC']),
    client_id: clientCredentials.client_id,
    client_secret: clientCredentials.client_secret.optional(),
    scopes: clientCredentials.scopes,
  }),
  z.strictObject({
    type: z.literal('APP'),
    app_id: z.string().min(1).max(255),
    app_link: z.string().min(1),
    private_key: pem,
  }),
  z.strictObject({
    type: z.literal('CUSTOM'),
    client_id: z.string().min(1).max(255),
    client_secret: z.string().min(1),
    app_id: z.string().min(1).max(255),
    app_link: z.string().min(1),
    private_key: pem,
  }),
]);

/** Auth modes whose integrations have app credentials. The input's `type` is the auth mode. */
const APP_CREDENTIAL_MODES: readonly string[] = [
  'OAUTH1',
  'OAUTH2',
  'TBA',
  'APP',
  'CUSTOM',
  'MCP_OAUTH2',
  'MCP_OAUTH2_GENERIC',
];

export function hasAppCredentials(authMode: string): boolean {
  return APP_CREDENTIAL_MODES.includes(authMode);
}

const integrationConfig = z.record(z.string(), z.string().max(8192));
const custom = z.record(z.string(), z.string());

export const createIntegrationBody = z.strictObject({
  provider: providerName,
  unique_key: integrationId,
  display_name: displayName.optional(),
  credentials: integrationCredentials.optional(),
  forward_webhooks: z.boolean().optional(),
  integration_config: integrationConfig.optional(),
  custom: custom.optional(),
});

export const updateIntegrationBody = z.strictObject({
  unique_key: integrationId.optional(),
  display_name: displayName.optional(),
  credentials: integrationCredentials.optional(),
  forward_webhooks: z.boolean().optional(),
  integration_config: integrationConfig.optional(),
  custom: custom.optional(),
});

const include = z.enum(['webhook', 'credentials']);
export const getIntegrationQuery = z.strictObject({
  include: z
    .union([include, z.array(include)])
    .optional()
    .transform((value) => (value === undefined ? [] : [value].flat())),
});

export const integrationParams = z.strictObject({ uniqueKey: integrationId });
export const noQuery = empty;

/** The deprecated `GET /config/:key`. A value that is not text counts as missing (http-api.md 5). */
export const configParams = z.strictObject({ key: integrationId });
export const configQuery = z.object({ include_creds: z.string().optional().catch(undefined) });

export type IntegrationCredentialsInput = z.infer<typeof integrationCredentials>;
export type CreateIntegrationBody = z.infer<typeof createIntegrationBody>;
export type UpdateIntegrationBody = z.infer<typeof updateIntegrationBody>;
