import { z } from 'zod';
import { connectionId, jsonObject, webhookUrlOverride } from './fields.ts';

/**
 * Body of the deprecated `POST /connection` (http-api.md 5): credentials at the root, whose names depend on the auth
 * mode of the integration's provider. Those are checked once it is known.
 */
export const flatImportBody = z.looseObject({
  connection_id: connectionId.nullish(),
  metadata: jsonObject.nullish(),
  connection_config: jsonObject.nullish(),
  webhook_url_override: webhookUrlOverride.nullish(),
});

export type FlatImportBody = z.infer<typeof flatImportBody>;
