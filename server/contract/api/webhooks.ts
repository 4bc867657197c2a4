import { z } from 'zod';
import { environmentName } from '../dashboard/dashboard-environment.ts';
import { integrationId, uuid } from './fields.ts';

/** Where providers send their webhooks (webhooks.md 2.1): to the UUID of an environment, or to its name. */
export const webhookParams = z.strictObject({
  environmentUuid: z.union([uuid, environmentName], 'Give the UUID or the name of an environment'),
  providerConfigKey: integrationId,
});

/** Routings read what they know of it. */
export const webhookQuery = z.looseObject({
  nangoConnectionId: z.string().optional(),
  validationToken: z.string().optional(),
});
