import { z } from 'zod';
import { environmentQuery } from '../contract/dashboard/dashboard-lists.ts';
import { settingsBody } from '../environments/environment.contract.ts';

/** Where providers send people back to, for one environment. */
export const callback = z.object({
  /** The address that authorizations send to the provider. */
  callbackUrl: z.string(),
  /** The environment's setting; null means the hub's own address. */
  setting: z.string().nullable(),
  /** The hub's own address. */
  ownUrl: z.string(),
  /** Base of webhook addresses. The integration's key, percent-encoded, is appended. */
  webhookBase: z.string(),
  /** The hub's port on this computer. */
  port: z.number().int(),
});

/** Null or an empty text restores the hub's own address. */
export const updateCallbackBody = z.strictObject({ callbackUrl: settingsBody.shape.callback_url.unwrap() });

/**
 * Result of a check of the callback address. `own`: it is, or redirects to, a name of this computer with the hub's
 * port; the page then requests it itself. `forwards`: it redirects browsers to `target`, on another host. `foreign`:
 * another program answers there.
 */
export const callbackCheck = z.discriminatedUnion('found', [
  z.object({ found: z.literal('own') }),
  z.object({ found: z.literal('hub') }),
  z.object({ found: z.literal('forwards'), target: z.string() }),
  z.object({ found: z.literal('foreign'), status: z.number().int() }),
  z.object({ found: z.literal('nothing'), reason: z.string() }),
]);

export const callbackRouteShapes = {
  'GET /api/v1/callback': {
    meaning: 'The callback address of the environment.',
    query: environmentQuery,
    response: callback,
  },
  'PATCH /api/v1/callback': {
    meaning: 'Changes the callback address of the environment.',
    query: environmentQuery,
    body: updateCallbackBody,
    response: callback,
  },
  'POST /api/v1/callback/check': {
    meaning: 'Checks which server answers at the callback address.',
    query: environmentQuery,
    response: callbackCheck,
  },
};

export type Callback = z.infer<typeof callback>;
export type CallbackCheck = z.infer<typeof callbackCheck>;
