import { z } from 'zod';
import { integrationId, uuid } from './fields.ts';

/** Where providers send their webhooks (webhooks.md 2.1). */
export const webhookParams = z.strictObject({ environmentUuid: uuid, providerConfigKey: integrationId });

/** Routings read what they know of it. */
export const webhookQuery = z.looseObject({
  nangoConnectionId: z.string().optional(),
  validationToken: z.string().optional(),
});
