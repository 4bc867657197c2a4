import type { SnapshotsView } from '../../server/snapshots/dashboard-snapshots.contract.ts';

const OFF: SnapshotsView = {
  settings: null,
  isRunning: false,
  lastAt: null,
  nextAt: null,
  problem: null,
  files: [],
  defaultFolder: '/home/kim/Homeport/dev',
};
let state = OFF;

const written = (settings: SnapshotsView['settings']): SnapshotsView => ({
  ...OFF,
  settings,
  lastAt: '2026-06-01T09:00:00.000Z',
  files: [
    { view: 'practice.Issue', file: 'practice/Issue.parquet', rows: 1204, bytes: 48_213 },
    { view: 'practice.Contact', file: 'practice/Contact.parquet', rows: 86, bytes: 5120 },
  ],
});

/** Snapshots of the page Destinations: off until a test switches them on. */
export const snapshotHandlers = {
  'GET /api/v1/snapshots': () => state,
  'PUT /api/v1/snapshots': ({ body }: { body: NonNullable<SnapshotsView['settings']> }) => {
    state = written(body);
    return state;
  },
  'POST /api/v1/snapshots/run': () => state,
  'DELETE /api/v1/snapshots': () => {
    state = OFF;
    return state;
  },
};
