import { z } from 'zod';
import { connectionId, endUser, integrationId, tags, webhookUrlOverride } from '../contract/fields.ts';

/** Bodies of `/connect/sessions` and `/connect/telemetry` (http-api.md 6). */

const organization = z.strictObject({ id: z.string().max(255), display_name: z.string().max(255).optional() });

const configDefaults = z.strictObject({
  user_scopes: z.string().optional(),
  authorization_params: z.record(z.string(), z.string()).optional(),
  connection_config: z
    .looseObject({
      oauth_scopes_override: z.string().optional(),
      // Older name of `webhook_url_override`.
      webhook_url: webhookUrlOverride.optional(),
    })
    .optional(),
});

const shared = {
  organization: organization.optional(),
  integrations_config_defaults: z.record(integrationId, configDefaults).optional(),
  overrides: z.record(integrationId, z.object({ docs_connect: z.string().optional() })).optional(),
  tags: tags.optional(),
  webhook_url_override: webhookUrlOverride.optional(),
};

export const createSessionBody = z
  .strictObject({ ...shared, end_user: endUser.optional(), allowed_integrations: z.array(integrationId).optional() })
  .superRefine((value, context) => {
    if (value.end_user === undefined && value.tags === undefined) {
      const message = 'Name the end user: end_user, or tags that stand for one.';
      context.addIssue({ code: 'invalid_type', expected: 'object', input: undefined, path: ['end_user'], message });
    }
  });

export const reconnectSessionBody = z.strictObject({
  ...shared,
  end_user: endUser.optional(),
  connection_id: connectionId,
  integration_id: integrationId,
});

const EVENTS = [
  'open',
  'view:list',
  'view:integration',
  'view:unknown_error',
  'view:credentials_error',
  'view:success',
  'click:integration',
  'click:doc',
  'click:doc_section',
  'click:connect',
  'click:close',
  'click:finish',
  'click:outside',
  'popup:blocked_by_browser',
  'popup:closed_early',
] as const;

export const telemetryBody = z.strictObject({
  token: z.string(),
  event: z.enum(EVENTS),
  timestamp: z.coerce.date(),
  dimensions: z.strictObject({ integration: z.string().optional() }).optional(),
});

export type CreateSessionBody = z.infer<typeof createSessionBody>;
export type ReconnectSessionBody = z.infer<typeof reconnectSessionBody>;
export type TelemetryBody = z.infer<typeof telemetryBody>;
