import { z } from 'zod';
import { done, environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { APP_ICONS } from '../contract/dashboard/shown-values.ts';
import { allowedConnections } from './allowed-connections.contract.ts';
import { environmentColour } from './dashboard-environment.contract.ts';
import { keyScopes } from './scope-list.contract.ts';

/** API keys, which the dashboard calls apps, and requests of apps for a key (ui.md 6.14). */

const keyName = z.string().trim().min(1).max(255);

const appIcon = z.enum(APP_ICONS);

export const keyRow = z.object({
  id: z.number().int(),
  name: z.string(),
  scopes: z.array(z.string()),
  /**
   * Whether it is the key that was created with the environment. That key also signs webhooks and is shown in the
   * settings.
   */
  isDefault: z.boolean(),
  /** Connections that the key is limited to; null means all. */
  allowed: allowedConnections,
  icon: appIcon.nullable(),
  colour: environmentColour.nullable(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
  /** Number of calls in the last 24 hours, accurate to the hour. */
  calls: z.number().int(),
  /** Number of responses with credentials in the last 24 hours. */
  credentialReads: z.number().int(),
  /** The program that called last, as far as the operating system reports it. */
  process: z.object({ name: z.string(), path: z.string(), at: isoTime }).nullable(),
});

export const keyParams = z.object({ keyId: z.coerce.number().int() });
const look = {
  allowed: allowedConnections.optional(),
  icon: appIcon.nullable().optional(),
  colour: environmentColour.nullable().optional(),
};
export const createKeyForm = z.object({ name: keyName, scopes: keyScopes, ...look });
export const updateKeyForm = z.object({ name: keyName.optional(), scopes: keyScopes.optional(), ...look });

/** No other response contains the secret. */
export const createdKey = z.object({ id: z.number().int(), name: z.string(), secret: z.string() });

export const pairingRow = z.object({
  id: z.string(),
  /** Name that the app gave itself. */
  name: z.string(),
  /** The app shows the same code. */
  code: z.string(),
  scopes: z.array(z.string()),
  /** The program that asks, as far as the operating system reports it. */
  process: z.object({ name: z.string(), path: z.string() }).nullable(),
  askedAt: isoTime,
  expiresAt: isoTime,
});

/** `allow` has the key's name and scopes, which may differ from what the app asked for. */
export const pairingBody = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('allow'), name: keyName, scopes: keyScopes, ...look }),
  z.object({ decision: z.literal('deny') }),
]);

export type AppIcon = (typeof APP_ICONS)[number];

export const keysRouteShapes = {
  'GET /api/v1/keys': {
    meaning: 'API keys with their use, oldest first; never the keys themselves.',
    query: environmentQuery,
    response: wholeResponse(keyRow),
  },
  'POST /api/v1/keys': {
    meaning: 'Creates a key. No other response contains its secret.',
    query: environmentQuery,
    body: createKeyForm,
    response: createdKey,
  },
  'PATCH /api/v1/keys/:keyId': {
    meaning: 'Renames it or changes its scopes, from the next call on.',
    params: keyParams,
    query: environmentQuery,
    body: updateKeyForm,
    response: done,
  },
  'DELETE /api/v1/keys/:keyId': {
    meaning: 'Revokes it at once; the last key of an environment stays.',
    params: keyParams,
    query: environmentQuery,
    response: done,
  },
  'GET /api/v1/pairings': {
    meaning: 'Apps that ask for a key and wait, oldest first.',
    query: environmentQuery,
    response: wholeResponse(pairingRow),
  },
  'POST /api/v1/pairings/:pairingId': {
    meaning: 'Answers one; 404 when it no longer waits.',
    params: z.object({ pairingId: z.string() }),
    query: environmentQuery,
    body: pairingBody,
    response: done,
  },
};

export type KeyRow = z.infer<typeof keyRow>;
export type PairingRow = z.infer<typeof pairingRow>;
