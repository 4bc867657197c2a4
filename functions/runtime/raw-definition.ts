import { z } from 'zod';

const members = z.record(z.string(), z.unknown());
const schemaOrNull = members.nullable().exactOptional();

/**
 * What `describe` reads out of a bundle's default export without running `exec`: the definition with its schemas
 * already turned into JSON schemas (functions.md 1.9). The host checks it: the module that is described may have
 * changed the built-ins that describe it.
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
});

/** What became of each bundle that was described together with others, in their order. */
export const describedParts = z.array(
  z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), definition: rawDefinition }),
    z.object({ ok: z.literal(false) }),
  ]),
);
