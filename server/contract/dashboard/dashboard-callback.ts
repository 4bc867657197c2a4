import { z } from 'zod';
import { settingsBody } from '../api/environment.ts';
import { environmentQuery } from './dashboard-lists.ts';

/** Where the providers of an environment send people back to. */
export const callback = z.object({
  /** The address that authorizations send to the provider. */
  callbackUrl: z.string(),
  /** What the environment sets; null: the hub's own address is used. */
  setting: z.string().nullable(),
  /** The hub's own address. */
  ownUrl: z.string(),
  /** Webhooks of an integration go here with its key, percent-encoded, at the end. */
  webhookBase: z.string(),
  /** The hub's port on this computer. */
  port: z.number().int(),
});

/** Null, or an empty text, goes back to the hub's own address. */
export const updateCallbackBody = z.strictObject({ callbackUrl: settingsBody.shape.callback_url.unwrap() });

/**
 * What was found at the callback address. `own`: it is, or leads to, a name of this computer with the hub's port, which
 * the page asks itself. `forwards`: it sends browsers on to `target`, elsewhere. `foreign`: something else answers there.
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
    meaning: 'The address that providers lead people back to.',
    query: environmentQuery,
    response: callback,
  },
  'PATCH /api/v1/callback': {
    meaning: 'Sets another one for the environment.',
    query: environmentQuery,
    body: updateCallbackBody,
    response: callback,
  },
  'POST /api/v1/callback/check': {
    meaning: 'Who answers there.',
    query: environmentQuery,
    response: callbackCheck,
  },
};

export type Callback = z.infer<typeof callback>;
export type CallbackCheck = z.infer<typeof callbackCheck>;
