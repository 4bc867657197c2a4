import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { Environment } from '../environments/environment.service.ts';
import { isoDateOrNull } from '../platform/lib/dates.ts';
import type { SnapshotsView } from './dashboard-snapshots.contract.ts';

type Keys =
  | 'GET /api/v1/snapshots'
  | 'PUT /api/v1/snapshots'
  | 'POST /api/v1/snapshots/run'
  | 'DELETE /api/v1/snapshots';

export function snapshotRoutes({ snapshots }: Pick<DashboardParts, 'snapshots'>): DashboardHandlers<Keys> {
  async function view({ id, name }: Environment): Promise<SnapshotsView> {
    const row = await snapshots.find(id);
    return {
      settings: row ? { folder: row.folder, every: row.every, hasHistory: row.hasHistory } : null,
      isRunning: snapshots.isRunning(id),
      lastAt: isoDateOrNull(row?.lastAt ?? null),
      nextAt: isoDateOrNull(row?.nextAt ?? null),
      problem: row?.problem ?? null,
      files: row?.files.map(({ bytes, file, rows, view }) => ({ view, file, rows, bytes })) ?? [],
      defaultFolder: join(homedir(), 'Homeport', name),
    };
  }
  return {
    'GET /api/v1/snapshots': ({ environment }) => view(environment),
    'PUT /api/v1/snapshots': async ({ body, environment }) => {
      await snapshots.set(environment, body);
      return view(environment);
    },
    'POST /api/v1/snapshots/run': async ({ environment }) => {
      await snapshots.run(environment);
      return view(environment);
    },
    'DELETE /api/v1/snapshots': async ({ environment }) => {
      await snapshots.remove(environment);
      return view(environment);
    },
  };
}
