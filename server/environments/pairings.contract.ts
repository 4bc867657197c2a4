import { z } from 'zod';
import { environmentName, uuid } from '../contract/fields.ts';
import { dataOf, instant } from '../contract/response-fields.ts';
import { KEY_PRESETS, type KeyPreset } from './key-scopes.contract.ts';
import { keyScopes } from './scope-list.contract.ts';

/** Pairing: a local app obtains its own key (http-api.md 12). */

const presets = Object.keys(KEY_PRESETS) as [KeyPreset, ...KeyPreset[]];

export const askPairingBody = z.strictObject({
  /** Name that the person sees. */
  name: z.string().trim().min(1).max(80),
  /** Default: the first environment. */
  environment: environmentName.optional(),
  /** A preset or a list of scopes. The person may choose others. */
  scopes: z.union([z.enum(presets), keyScopes]).default('read'),
});

export const pairingParams = z.strictObject({ id: uuid });
export const pollPairingBody = z.strictObject({ code: z.string().min(1).max(32) });

export const askedPairingResponse = dataOf(
  z.object({
    id: z.uuid(),
    /** The app shows the code so that the person can compare it. */
    code: z.string(),
    expires_at: instant,
    poll_interval_ms: z.int(),
  }),
);

export const pairingResponse = dataOf(
  z.object({
    status: z.enum(['waiting', 'allowed', 'denied', 'expired']),
    /** Sent once, with the state `allowed`. */
    secret_key: z.uuid().optional(),
    environment: z.string().optional(),
    display_name: z.string().optional(),
    scopes: z.array(z.string()).optional(),
  }),
);
