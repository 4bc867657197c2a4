import { z } from 'zod';
import type { RawDefinition } from '../../runtime/bridge.ts';

/**
 * Reads the definition out of a bundle. This runs the author's module, so it happens in the sandbox, which hands this
 * function to the compiler. Rejects with an Error whose message the author can act on; its `position`, if present, is the
 * position where the module threw.
 */
export type Describe = (bundle: DescribedBundle) => Promise<RawDefinition>;

const jsonObject = z.record(z.string(), z.unknown());

/** What is described runs in one realm with the author's module, which may make of it what it likes. */
export const describedDefinition: z.ZodType<RawDefinition> = z.object({
  type: z.enum(['sync', 'action', 'onEvent', 'function']),
  props: jsonObject,
  models: z.array(z.object({ name: z.string().max(255), schema: jsonObject })).exactOptional(),
  metadata: jsonObject.nullable().exactOptional(),
  input: jsonObject.nullable().exactOptional(),
  output: jsonObject.nullable().exactOptional(),
  hasOnWebhook: z.boolean(),
});

export interface DescribedBundle {
  /** SHA-256 of the code, hex. */
  hash: string;
  code: string;
  fileName: string;
}

/** Reads a frequency; given to the compiler, as the server reads frequencies too. */
export type ParseFrequency = (
  frequency: string,
) =>
  | { ok: true; intervalMs: number }
  | { ok: false; code: 'sync_interval_invalid' | 'sync_interval_too_short'; message: string };
