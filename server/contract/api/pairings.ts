import { z } from 'zod';
import { environmentName } from '../dashboard/dashboard-environment.ts';
import { dataOf, instant } from './answers/answer-fields.ts';
import { uuid } from './fields.ts';
import { KEY_PRESETS, type KeyPreset } from './key-scopes.ts';
import { keyScopes } from './scope-list.ts';

/** How a local app gets a key of its own (http-api.md 12). */

const presets = Object.keys(KEY_PRESETS) as [KeyPreset, ...KeyPreset[]];

export const askPairingBody = z.strictObject({
  /** What the person sees. */
  name: z.string().trim().min(1).max(80),
  /** Absent = the first one. */
  environment: environmentName.optional(),
  /** A preset, or single scopes; the person may choose others. */
  scopes: z.union([z.enum(presets), keyScopes]).default('read'),
});

export const pairingParams = z.strictObject({ id: uuid });
export const pollPairingBody = z.strictObject({ code: z.string().min(1).max(32) });

export const askedPairingAnswer = dataOf(
  z.object({
    id: z.uuid(),
    /** The app shows it, so that the person can compare. */
    code: z.string(),
    expires_at: instant,
    poll_interval_ms: z.int(),
  }),
);

export const pairingAnswer = dataOf(
  z.object({
    status: z.enum(['waiting', 'allowed', 'denied', 'expired']),
    /** With `allowed`, once. */
    secret_key: z.uuid().optional(),
    environment: z.string().optional(),
    display_name: z.string().optional(),
    scopes: z.array(z.string()).optional(),
  }),
);
