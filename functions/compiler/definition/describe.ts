import { z } from 'zod';
import type { RawDefinition } from '../../runtime/bridge.ts';

/**
 * Reads the definition from a bundle. This runs the author's module, so the sandbox implements it and passes it to the
 * compiler. Rejects with an Error that the author can act on; its `position`, if present, is where the module threw. One that
 * `isInterrupted` says nothing about the module, as when the hub stops.
 */
export type Describe = (bundle: DescribedBundle) => Promise<RawDefinition>;

const jsonObject = z.record(z.string(), z.unknown());

/** The description is made in one realm with the author's module, which can manipulate it, so it is validated. */
export const describedDefinition: z.ZodType<RawDefinition> = z.object({
  type: z.enum(['sync', 'action', 'onEvent', 'function']),
  props: jsonObject,
  models: z.array(z.object({ name: z.string().max(255), schema: jsonObject })).exactOptional(),
  metadata: jsonObject.nullable().exactOptional(),
  input: jsonObject.nullable().exactOptional(),
  output: jsonObject.nullable().exactOptional(),
  hasOnWebhook: z.boolean(),
  hasUndo: z.boolean().exactOptional(),
});

export interface DescribedBundle {
  /** SHA-256 of the code, hex. */
  hash: string;
  code: string;
  fileName: string;
}

/** Parses a frequency. Passed to the compiler, because the server also parses frequencies. */
export type ParseFrequency = (
  frequency: string,
) =>
  | { ok: true; intervalMs: number }
  | { ok: false; code: 'sync_interval_invalid' | 'sync_interval_too_short'; message: string };
