import { z } from 'zod';
import { sealedSecrets } from './sealed-secrets.ts';

const openObject = z.record(z.string(), z.unknown());

const exportedIntegration = z.object({
  unique_key: z.string(),
  provider: z.string(),
  display_name: z.string(),
  forward_webhooks: z.boolean(),
});

const exportedConnection = z.object({
  connection_id: z.string(),
  provider_config_key: z.string(),
  metadata: openObject,
  connection_config: openObject,
  tags: z.record(z.string(), z.string()),
  end_user: openObject.optional(),
  webhook_url_override: z.string().optional(),
});

/**
 * A further destination of outgoing webhooks. Imported destinations are switched off, so the switch is not in the file.
 */
const exportedDestination = z.object({
  name: z.string().nullable(),
  /** Missing when the address is secret. */
  url: z.string().optional(),
  types: z.array(z.string()),
  integrations: z.array(z.string()),
});

/** A statement over records that is kept under a name. */
const exportedQuery = z.object({ name: z.string(), sql: z.string(), params: z.unknown() });

/** Where records go on their own. Its passwords, address and tokens are never in a file; imported ones are paused. */
const exportedRecordDestination = z.object({
  name: z.string(),
  kind: z.enum(['postgres', 'ndjson', 'http']),
  /** Where records go, without secrets. */
  target: z.string(),
  schema: z.string().nullable(),
  tls: z.string().nullable(),
  ca_certificate: z.string().nullable(),
  deletions: z.string().nullable(),
  integrations: z.array(z.string()),
  models: z.array(z.string()),
  connections: z.array(z.string()),
});

/** One environment in one file. Functions are listed by their path in the functions folder. */
export const exportFile = z.object({
  format: z.literal('homeport-export'),
  version: z.literal(1),
  exported_at: z.string(),
  environment: z.string(),
  settings: openObject,
  integrations: z.array(exportedIntegration),
  connections: z.array(exportedConnection),
  functions: z.record(z.string(), z.string()),
  /** Missing in older files. */
  webhook_destinations: z.array(exportedDestination).default([]),
  /** Missing in older files. */
  saved_queries: z.array(exportedQuery).default([]),
  /** Missing in older files. */
  record_destinations: z.array(exportedRecordDestination).default([]),
  /** Descriptions of the secret values that were left out of the readable part. */
  left_out: z.array(z.string()).default([]),
  /** `ExportedSecrets`, encrypted. Present only with a passphrase. */
  secrets: sealedSecrets.optional(),
});

export const exportedSecrets = z.object({
  variables: z.array(z.object({ name: z.string(), value: z.string() })),
  /** By integration key. */
  integrations: z.record(z.string(), z.object({ credentials: openObject.optional(), custom: openObject.optional() })),
  /** By integration key and connection id. */
  connections: z.record(z.string(), z.record(z.string(), openObject)),
  /** Secrets of the readable part by their path in the file. */
  withheld: z.array(z.object({ path: z.array(z.string()).min(2), value: z.unknown() })).default([]),
});

export type ExportFile = z.infer<typeof exportFile>;
export type ExportedSecrets = z.infer<typeof exportedSecrets>;
export type ExportedDestination = z.infer<typeof exportedDestination>;
export type ExportedRecordDestination = z.infer<typeof exportedRecordDestination>;
export type ExportedConnection = z.infer<typeof exportedConnection>;
