import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { Handler } from './dashboard-fixture-lists.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/${'keys' | 'pairings' | 'audit' | 'notification'}${string}`>;

const NOTHING = { data: [], total: 0, snapshot: '0' };
const done = (): { success: true } => ({ success: true });

/** A hub with its default key only, without requests for keys and with an empty audit. */
export const appsHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/keys': () => ({
    data: [
      {
        id: 1,
        name: 'default',
        scopes: ['environment:*'],
        isDefault: true,
        allowed: null,
        icon: null,
        colour: null,
        createdAt: '2026-03-01T08:00:00.000Z',
        lastUsedAt: null,
        calls: 0,
        credentialReads: 0,
        process: null,
      },
    ],
  }),
  'POST /api/v1/keys': ({ body }) => ({ id: 2, name: body.name, secret: '00000000-0000-4000-8000-000000000000' }),
  'PATCH /api/v1/keys/:keyId': done,
  'DELETE /api/v1/keys/:keyId': done,
  'GET /api/v1/pairings': () => ({ data: [] }),
  'POST /api/v1/pairings/:pairingId': done,
  'GET /api/v1/audit': () => NOTHING,
  'GET /api/v1/notifications': () => ({ data: [], unread: 0 }),
  'POST /api/v1/notifications/read': done,
  'POST /api/v1/notifications/update': done,
  'GET /api/v1/notification-rules': () => ({
    kinds: {
      'sign-in': 'native',
      sync: 'native',
      webhook: 'native',
      approval: 'native',
      function: 'window',
      access: 'window',
      update: 'window',
      disk: 'window',
      view: 'native',
      drift: 'window',
      destination: 'native',
      snapshot: 'window',
    },
    syncFailures: 3,
    quietHours: null,
    hasSound: false,
    views: [],
  }),
  'PUT /api/v1/notification-rules': ({ body }) => body,
};
