import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import { FixtureRefusal, type Handler, need } from './dashboard-fixture-lists.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

type Keys = Extract<
  DashboardRouteKey,
  | `${string} /api/v1/data${string}`
  | `${string} /api/v1/environments${string}`
  | `${string} /api/v1/diagnostics${string}`
  | `${string} /api/v1/vault${string}`
>;

const MB = 1_048_576;
const backup = {
  name: 'homeport-20260601T120000000Z-daily.db',
  reason: 'daily' as const,
  createdAt: Date.parse('2026-06-01T12:00:00.000Z'),
  sizeBytes: 12 * MB,
};

const environmentOf = (state: FixtureState, name: string) => need(state.environments.find((one) => one.name === name));

/** The environments of the fixture's state, and a data folder that never changes. */
export const dataHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/data': () => ({
    folder: '/home/me/.local/share/homeport',
    backupFolder: '/home/me/.local/share/homeport/backups',
    backups: [backup],
    command: 'npx homeport',
    problem: null,
    keySource: 'keychain',
    disk: {
      database: 14 * MB,
      records: 8 * MB,
      logs: 4 * MB,
      webhooks: MB,
      free: MB,
      backups: backup.sizeBytes,
      cache: 2 * MB,
    },
    tables: [
      { name: 'records', sizeBytes: 7 * MB },
      { name: 'log_operations', sizeBytes: 4 * MB },
      { name: 'webhook_runs', sizeBytes: MB },
      { name: 'other', sizeBytes: MB },
    ],
  }),
  'POST /api/v1/data/compact': () => ({ freedBytes: MB }),
  'POST /api/v1/data/backups': () => backup,
  'DELETE /api/v1/data/backups/:name': () => ({ success: true }),
  'POST /api/v1/data/verify': () => ({ problems: [] }),
  'GET /api/v1/data/key': () => ({ keySource: 'keychain', problem: null }),
  'POST /api/v1/vault/lock': () => ({ success: true }),
  'POST /api/v1/vault/unlock': () => ({ success: true }),
  'PUT /api/v1/vault/auto-lock': () => ({ success: true }),
  'POST /api/v1/vault/presence': () => ({ success: true }),
  'POST /api/v1/data/key': () => ({ keySource: 'keychain', closedBackups: 0 }),
  'GET /api/v1/diagnostics': () => ({
    fileName: 'homeport-diagnostics-2026-06-01.txt',
    parts: [
      { title: 'Program', content: { version: '0.1.0', platform: 'linux x64', upSeconds: 4210 } },
      { title: 'Environment 1', content: { integrations: 7, connections: { ok: 12, auth_error: 2 } } },
    ],
  }),

  'POST /api/v1/environments': ({ body }, state) => {
    if (state.environments.some((one) => one.name === body.name))
      throw new FixtureRefusal(409, 'conflict', 'The name is taken.');
    const made = { name: body.name, isProduction: false, colour: 'petrol' as const };
    state.environments.push(made);
    return made;
  },
  'PUT /api/v1/environments/order': ({ body }, state) => {
    state.environments.sort((one, other) => body.names.indexOf(one.name) - body.names.indexOf(other.name));
    return { success: true };
  },
  'GET /api/v1/environments/current': ({ query }, state) => ({
    ...environmentOf(state, query.env),
    chosenColour: null,
    canRename: query.env !== 'prod',
    canDelete: query.env !== 'prod' && query.env !== 'dev',
    integrationCount: state.integrations.length,
    connectionCount: state.connections.length,
    functionCount: state.functions.length,
    variableCount: state.settings.variables.length,
  }),
  'PATCH /api/v1/environments/current': ({ query, body }, state) => {
    const changed = environmentOf(state, query.env);
    if (body.name !== undefined) changed.name = body.name;
    if (body.isProduction !== undefined) changed.isProduction = body.isProduction;
    if (body.colour) changed.colour = body.colour;
    return changed;
  },
  'DELETE /api/v1/environments/current': ({ query }, state) => {
    state.environments = state.environments.filter((one) => one.name !== query.env);
    return { success: true };
  },
};
