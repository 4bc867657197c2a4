import { z } from 'zod';
import { functionName, integrationId, jsonObject } from '../contract/fields.ts';

/** Bodies of `/sync/deploy*`, as command lines send them (http-api.md 15). */

const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const endpoint = z.union([
  z.strictObject({ method, path: z.string(), group: z.string().min(1).max(64).optional() }),
  z.partialRecord(method, z.string()),
]);
const fileBody = z.strictObject({ js: z.string().min(1), ts: z.string() });
/** Public functions send empty scopes. */
const scope = z.string().max(255);
const subscription = z.string().min(1).max(255);
const definitions = z.record(z.string(), jsonObject);

const flowConfig = z
  .strictObject({
    type: z.enum(['sync', 'action']),
    syncName: functionName,
    providerConfigKey: integrationId,
    fileBody,
    models: z.array(z.string().min(1).max(255)),
    runs: z.string().max(100).nullable(),
    auto_start: z.boolean().default(false),
    endpoints: z.array(endpoint).optional(),
    input: z.string().max(255).nullish(),
    metadata: z
      .strictObject({ scopes: z.array(scope).optional(), description: z.string().max(2000).optional() })
      .optional(),
    models_json_schema: z.strictObject({ definitions }).nullish(),
    /** Sent by older command lines; `models_json_schema` replaces it. */
    model_schema: z.unknown().optional(),
    version: z.string().max(255).nullish(),
    track_deletes: z.boolean().default(false),
    sync_type: z.enum(['incremental', 'full', 'INCREMENTAL', 'FULL']).nullish(),
    webhookSubscriptions: z.array(subscription).nullish(),
    attributes: jsonObject.optional(),
    features: z.array(z.enum(['checkpoints'])).default([]),
  })
  .superRefine(({ track_deletes, sync_type }, context) => {
    if (track_deletes && sync_type?.toLowerCase() === 'incremental') {
      const message = 'An incremental sync cannot track deletions.';
      context.addIssue({ code: 'custom', message, path: ['track_deletes'] });
    }
  });

const onEventScripts = z.strictObject({
  providerConfigKey: integrationId,
  scripts: z.array(
    z.strictObject({
      name: functionName,
      fileBody,
      event: z.enum(['post-connection-creation', 'pre-connection-deletion', 'validate-connection']),
      /** Sent by our command line only. */
      version: z.string().max(255).nullish(),
    }),
  ),
});

const postConnectionScripts = z.strictObject({
  providerConfigKey: integrationId,
  scripts: z.array(z.strictObject({ name: functionName, fileBody })),
});

const shared = {
  flowConfigs: z.array(flowConfig),
  onEventScriptsByProvider: z.array(onEventScripts).optional(),
  postConnectionScriptsByProvider: z.array(postConnectionScripts).optional(),
  /** Removes functions that the body does not name, within `deployMode`. */
  reconcile: z.boolean(),
  debug: z.boolean(),
  deployMode: z.enum(['all', 'single', 'integration']).default('all'),
  singleDeployMode: z.boolean().optional(),
  /** Sent by older command lines: the models of all functions without their own schemas. */
  jsonSchema: z.looseObject({ definitions: definitions.optional() }).nullish(),
  sdkVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+-(?:zero|yaml)$/)
    .optional(),
  source: z.enum(['standalone', 'repo']).default('repo'),
};

export const confirmDeployBody = z.strictObject(shared);
export const deployBody = z.strictObject({ ...shared, nangoYamlBody: z.string() });

export type DeployBody = z.infer<typeof confirmDeployBody>;
