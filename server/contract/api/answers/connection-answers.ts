import { z } from 'zod';
import { instant, openObject, rowId } from './answer-fields.ts';
import { credentials } from './credentials-answers.ts';

/** Answers under `/connections` (http-api.md 4 and 5). */

const organization = z.object({ id: z.string(), display_name: z.string().nullable() });

export const endUserAnswer = z
  .object({
    id: z.string(),
    display_name: z.string().nullable(),
    email: z.string().nullable(),
    tags: openObject.nullable(),
    organization: organization.nullable(),
  })
  .meta({ id: 'EndUser' });

const shared = {
  id: rowId,
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  errors: z.array(z.object({ type: z.enum(['auth', 'sync']), log_id: z.string() })),
  end_user: endUserAnswer.nullable(),
  tags: z.record(z.string(), z.string()),
  metadata: openObject.nullable(),
};

const listItem = z.object({ ...shared, created: instant }).meta({ id: 'ConnectionListItem' });

export const connectionAnswer = z
  .object({
    ...shared,
    connection_config: openObject,
    webhook_url_override: z.string().nullable(),
    created_at: instant,
    updated_at: instant,
    last_fetched_at: instant.nullable(),
    credentials,
  })
  .meta({ id: 'Connection' });

export const connectionsAnswer = z.object({ connections: z.array(listItem) });
/** `success` is false when another caller removed the connection first. */
export const connectionRemovedAnswer = z.object({ success: z.boolean() });

/** The body of the request, unchanged. */
export const metadataAnswer = z.object({
  connection_id: z.union([z.string(), z.array(z.string())]),
  provider_config_key: z.string(),
  metadata: openObject,
});
/** The body of the request with the id of the connection. */
export const flatImportAnswer = z.looseObject({ connection_id: z.string() });
