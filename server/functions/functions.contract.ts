import { z } from 'zod';
import { functionName, integrationId } from '../contract/fields.ts';
import { instant, rowId } from '../contract/response-fields.ts';

/** Functions of one integration (http-api.md 3, sub-routes). */

const functionType = z.enum(['sync', 'action', 'on-event']);

export const listFunctionsQuery = z.strictObject({
  type: functionType.optional(),
  search: z.string().trim().min(1).max(255).optional(),
  page: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

export const functionTypeQuery = z.strictObject({ type: functionType.optional() });
export const deleteFunctionQuery = z.strictObject({ type: z.enum(['sync', 'action']) });
export const functionParams = z.strictObject({ uniqueKey: integrationId, name: functionName });

/** Responses of `/sync/deploy*` (http-api.md 15). */

const sync = z.object({
  id: rowId.optional(),
  name: z.string(),
  providerConfigKey: z.string(),
  auto_start: z.boolean(),
  enabled: z.boolean().optional(),
  /** Number of connections of the integration. */
  connections: z.int().optional(),
});
const action = z.object({ id: rowId.optional(), name: z.string(), providerConfigKey: z.string() });
const script = z.object({ name: z.string(), providerConfigKey: z.string(), event: z.string() });

export const deployPlanResponse = z.object({
  newSyncs: z.array(sync),
  updatedSyncs: z.array(sync),
  deletedSyncs: z.array(sync),
  newActions: z.array(action),
  updatedActions: z.array(action),
  deletedActions: z.array(action),
  newOnEventScripts: z.array(script),
  updatedOnEventScripts: z.array(script),
  deletedOnEventScripts: z.array(script),
  deletedModels: z.array(z.string()),
});

export const deployedResponse = z.array(
  z.object({
    id: rowId,
    name: z.string(),
    version: z.string(),
    providerConfigKey: z.string(),
    type: z.enum(['sync', 'action', 'on-event']),
    last_deployed: instant,
    input: z.string().optional(),
    models: z.array(z.string()),
    runs: z.string().nullable().optional(),
  }),
);
