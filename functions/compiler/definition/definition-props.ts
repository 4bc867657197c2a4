import { z } from 'zod';

/** The options of a definition as `describe` returns them. Unknown options are ignored (functions.md 1.3 to 1.5). */
const endpoint = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().min(1),
  group: z.string().min(1).max(64).exactOptional(),
});

const labels = z.array(z.string().max(255)).default([]);

const common = { description: z.string().max(2000), version: z.string().default('') };

export const syncProps = z.object({
  ...common,
  frequency: z.string(),
  endpoints: z.array(endpoint).default([]),
  syncType: z.enum(['full', 'incremental']).default('full'),
  // Only the literal `true` counts.
  autoStart: z
    .unknown()
    .optional()
    .transform((value) => value === true),
  trackDeletes: z.boolean().default(false),
  scopes: labels,
  webhookSubscriptions: labels,
});

export const actionProps = z.object({
  ...common,
  endpoint: endpoint.nullish(),
  scopes: labels,
  readOnly: z.boolean().default(false),
  untrustedOutput: z.boolean().exactOptional(),
});

export const onEventProps = z.object({
  ...common,
  event: z.enum(['post-connection-creation', 'pre-connection-deletion', 'validate-connection']),
});

export type SyncProps = z.output<typeof syncProps>;
