import { z } from 'zod';
import { dataOf, instant, openObject, rowId } from '../contract/response-fields.ts';
import { configuredFunctions } from '../functions/script-config-responses.contract.ts';

/** Responses under `/integrations`, and the deprecated `/config/:key` (http-api.md 3 and 5). */

const text = z.string().nullable();
const client = { client_id: text, client_secret: text };
const githubApp = { app_id: text, private_key: text, app_link: text };

const appCredentials = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['OAUTH1', 'OAUTH2', 'TBA', 'MCP_OAUTH2', 'MCP_OAUTH2_GENERIC']),
      ...client,
      scopes: text,
      webhook_secret: text,
    }),
    z.object({ type: z.literal('APP'), ...githubApp }),
    z.object({ type: z.literal('CUSTOM'), ...client, ...githubApp }),
  ])
  .meta({ id: 'IntegrationCredentials' });

const integration = z
  .object({
    unique_key: z.string(),
    provider: z.string(),
    display_name: z.string(),
    logo: z.string(),
    credentials_label: z.object({ apiKey: z.string() }).optional(),
    preconfigured_credentials: z.array(z.string()).optional(),
    preconfigured_connection_config: z.array(z.string()).optional(),
    /** How people sign in, the usual way first; only for providers that offer a sign-in with a code. */
    sign_in: z.array(z.enum(['redirect', 'code'])).optional(),
    webhook_url: z.string().nullable().optional(),
    credentials: appCredentials.nullable().optional(),
    forward_webhooks: z.boolean(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Integration' });

export const integrationResponse = dataOf(integration);
export const integrationsResponse = dataOf(z.array(integration));

const configConnection = z.object({
  id: rowId,
  connection_id: z.string(),
  provider_config_key: z.string(),
  environment_id: rowId,
  connection_config: openObject,
});

/** Present with `include_creds=true`. */
const configSecrets = z.object({
  ...client,
  custom: z.record(z.string(), z.string()),
  scopes: text,
  app_link: text,
  auth_mode: z.string(),
  created_at: instant,
  has_webhook: z.boolean(),
  webhook_secret: text,
  connections: z.array(configConnection),
  docs: z.string().optional(),
  connection_count: z.int(),
  has_webhook_user_defined_secret: z.boolean(),
  webhook_url: text,
});

export const configResponse = z.object({
  config: z.object({
    unique_key: z.string(),
    provider: z.string(),
    ...configuredFunctions,
    ...configSecrets.partial().shape,
  }),
});
