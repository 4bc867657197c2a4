import { z } from 'zod';
import { functionName, integrationId } from '../contract/fields.ts';

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
