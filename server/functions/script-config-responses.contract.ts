import { z } from 'zod';
import { dataOf, instant, openObject, rowId } from '../contract/response-fields.ts';

/** `GET /scripts/config` and the lists of `GET /config/:key` (http-api.md 5 and 13). */

const shared = {
  id: rowId,
  name: z.string(),
  description: z.string(),
  attributes: openObject,
  version: z.string().nullable(),
  source: z.string(),
  enabled: z.boolean(),
  last_deployed: instant,
  sdk_version: z.string().nullable(),
};

const endpoint = z.object({ method: z.string(), path: z.string(), group: z.string().nullable() });

const callable = {
  ...shared,
  returns: z.array(z.string()),
  scopes: z.array(z.string()),
  endpoints: z.array(endpoint),
  webhookSubscriptions: z.array(z.string()),
  json_schema: openObject.nullable(),
  models: z.array(z.object({ name: z.string(), fields: z.array(z.unknown()) })),
  features: z.array(z.string()),
  input: z.string().optional(),
};

const syncConfig = z
  .object({
    ...callable,
    type: z.literal('sync'),
    sync_type: z.enum(['full', 'incremental']),
    auto_start: z.boolean(),
    runs: z.string().nullable(),
    track_deletes: z.boolean(),
  })
  .meta({ id: 'SyncConfig' });

const actionConfig = z.object({ ...callable, type: z.literal('action') }).meta({ id: 'ActionConfig' });

export const configuredFunctions = { syncs: z.array(syncConfig), actions: z.array(actionConfig) };

const scriptConfig = z.object({
  providerConfigKey: z.string(),
  provider: z.string(),
  ...configuredFunctions,
  'on-events': z.array(z.object({ ...shared, type: z.literal('on-event'), event: z.string() })),
});

const openAiTool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.object({
    type: z.literal('object'),
    properties: openObject,
    required: z.array(z.string()),
    /** Models that the properties refer to. */
    definitions: openObject.optional(),
  }),
});

/** A list of integrations, or tool definitions with `format=openai`. */
export const scriptsConfigResponse = z.union([z.array(scriptConfig), dataOf(z.array(openAiTool))]);
