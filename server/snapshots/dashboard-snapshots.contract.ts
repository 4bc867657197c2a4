import { z } from 'zod';
import { environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** Folders of Parquet files (http-api.md 11.2). */

const every = z.enum(['sync', 'hour', 'day', 'week']);

const settings = z.object({
  /** Whole path on this computer. */
  folder: z.string().min(1).max(4096),
  every,
  hasHistory: z.boolean(),
});

const snapshots = z.object({
  /** Null: they are off. */
  settings: settings.nullable(),
  isRunning: z.boolean(),
  lastAt: isoTime.nullable(),
  nextAt: isoTime.nullable(),
  /** Why the last run did not write everything. */
  problem: z.string().nullable(),
  files: z.array(z.object({ view: z.string(), file: z.string(), rows: z.number().int(), bytes: z.number().int() })),
  /** Where they would go without another choice. */
  defaultFolder: z.string(),
});

export const snapshotRouteShapes = {
  'GET /api/v1/snapshots': {
    meaning: 'The folder of Parquet files of the environment, and what is in it.',
    query: environmentQuery,
    response: snapshots,
  },
  'PUT /api/v1/snapshots': {
    meaning: 'Switches it on, or changes it; the files are written soon.',
    query: environmentQuery,
    body: settings,
    response: snapshots,
  },
  'POST /api/v1/snapshots/run': {
    meaning: 'Writes the files now, and answers when they are written.',
    query: environmentQuery,
    response: snapshots,
  },
  'DELETE /api/v1/snapshots': {
    meaning: 'Switches it off; the files stay.',
    query: environmentQuery,
    response: snapshots,
  },
};

export type SnapshotsView = z.infer<typeof snapshots>;
export type SnapshotEveryView = z.infer<typeof every>;
