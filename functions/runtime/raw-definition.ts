import { z } from 'zod';

const members = z.record(z.string(), z.unknown());
const schemaOrNull = members.nullable().exactOptional();

/**
 * The definition that `describe` reads from a bundle's default export without running `exec`, with its schemas
 * converted to JSON schemas (functions.md 1.9). The host validates it, because the described module may have changed
 * built-ins.
 */
export const rawDefinition = z.object({
  type: z.literal(['sync', 'action', 'onEvent', 'function']),
  /** Every JSON-representable property of the definition (description, frequency, endpoints, scopes, version, …). */
  props: members,
  /** Sync: JSON schema per model, in declaration order. */
  models: z.array(z.object({ name: z.string(), schema: members })).exactOptional(),
  metadata: schemaOrNull,
  input: schemaOrNull,
  output: schemaOrNull,
  hasOnWebhook: z.boolean(),
  hasUndo: z.boolean().exactOptional(),
});
