import { z } from 'zod';
import { connectionId, jsonObject, webhookUrlOverride } from '../contract/fields.ts';

/**
 * Body of the deprecated `POST /connection` (http-api.md 5). Its credentials are at the root, and their names depend on
 * the auth mode of the integration's provider, so they are checked after the integration is read.
 */
export const flatImportBody = z.looseObject({
  connection_id: connectionId.nullish(),
  metadata: jsonObject.nullish(),
  connection_config: jsonObject.nullish(),
  webhook_url_override: webhookUrlOverride.nullish(),
});

export type FlatImportBody = z.infer<typeof flatImportBody>;
