import { z } from 'zod';
import { connectionId, functionName, integrationId, jsonObject, uuid } from '../contract/fields.ts';

/** Bodies of the functions API: code that is sent as text (http-api.md 14). */

const sentIntegration = integrationId.refine((key) => key !== '.' && key !== '..', 'This is not an integration.');
const sentType = z.enum(['action', 'sync']);
const code = z.string().min(1);
const version = z.string().min(1).max(255);

export const taskParams = z.strictObject({ id: uuid });

export const compileBody = z.strictObject({ code });

export const dryRunBody = z.strictObject({
  integration_id: sentIntegration,
  function_type: sentType,
  code,
  connection_id: connectionId,
  input: z.unknown().optional(),
  metadata: jsonObject.optional(),
  checkpoint: jsonObject.optional(),
  last_sync_date: z.iso.datetime({ offset: true }).optional(),
});

export const deploymentBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    integration_id: sentIntegration,
    function_name: functionName,
    function_type: sentType,
    code,
    version: version.optional(),
    allow_destructive: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal('template'),
    integration_id: sentIntegration,
    template: functionName,
    function_type: sentType.optional(),
  }),
]);

export const bundleBody = z.strictObject({
  reconciliationScope: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('integration'), integrationId: sentIntegration }),
  ]),
  functions: z.array(
    z.strictObject({
      integrationId: sentIntegration,
      name: functionName,
      type: z.enum(['action', 'sync', 'on-event']),
      code,
      version: version.optional(),
    }),
  ),
});

export const invocationBody = z.strictObject({
  connection_id: connectionId,
  integration_id: sentIntegration,
  name: functionName,
  invocation_type: z.enum(['wait', 'no_wait']),
  input: z.unknown().optional(),
  options: jsonObject.optional(),
});

/** Options of an invoked action; a sync has those of `POST /sync/trigger`, and its variant. */
export const actionOptions = z.strictObject({ max_retries: z.number().int().min(0).max(5).default(0) });
export const syncOptions = z.strictObject({
  variant: functionName.default('base'),
  reset: z.boolean().default(false),
  emptyCache: z.boolean().default(false),
});
