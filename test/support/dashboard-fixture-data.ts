import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { Handler } from './dashboard-fixture-lists.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/data${string}`>;

const MB = 1_048_576;
const backup = {
  name: 'homeport-20260601T120000000Z-daily.db',
  reason: 'daily' as const,
  createdAt: Date.parse('2026-06-01T12:00:00.000Z'),
  sizeBytes: 12 * MB,
};

/** A data folder that always looks the same. */
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
  }),
  'POST /api/v1/data/backups': () => backup,
  'POST /api/v1/data/verify': () => ({ problems: [] }),
  'POST /api/v1/data/key': () => ({ keySource: 'keychain', closedBackups: 0 }),
};
