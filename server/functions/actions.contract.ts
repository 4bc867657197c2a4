import { z } from 'zod';
import { connectionId, functionName, integrationId, stringBool, uuid } from '../contract/fields.ts';

/** `POST /action/trigger` and `GET /action/:id` (http-api.md 8). */

export const triggerActionBody = z.object({ action_name: functionName, input: z.unknown().optional() });

export const triggerActionHeaders = z.object({
  'provider-config-key': integrationId,
  'connection-id': connectionId,
  'x-async': stringBool.default(false),
  'x-max-retries': z.coerce.number().int().min(0).max(5).default(0),
});

export const actionResultParams = z.strictObject({ id: uuid });

/** Headers that name a connection, on proxy, records and custom endpoints. */
export const connectionHeaders = z.object({ 'provider-config-key': integrationId, 'connection-id': connectionId });
