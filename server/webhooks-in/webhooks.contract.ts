import { z } from 'zod';
import { environmentName, integrationId, uuid } from '../contract/fields.ts';

/** Addresses for webhooks of providers (webhooks.md 2.1), with the UUID or the name of an environment. */
export const webhookParams = z.strictObject({
  environmentUuid: z.union([uuid, environmentName], 'Give the UUID or the name of an environment'),
  providerConfigKey: integrationId,
});

/** Query parameters; each webhook routing reads those that it knows. */
export const webhookQuery = z.looseObject({
  nangoConnectionId: z.string().optional(),
  validationToken: z.string().optional(),
});
