import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../server/platform/database/database.ts';
import { lookInto } from '../../support/look-into.ts';
import { createTempHome } from '../../support/temp-home.ts';
import type { Change } from './changing-records.ts';

export interface DatabaseFacts {
  integrity: string[];
  /** The counters of all runs of the sync, added up. */
  counted: Change;
  liveRows: number;
  /** The stored counter that should equal `liveRows`. */
  liveCount: number;
  /** Runs of the sync by status, oldest first. */
  runs: string[];
  /** Jobs of its schedule in the queue that may run. */
  liveJobs: number;
  /** Pages that are saved according to the checkpoint. */
  savedPages: number;
  /** First job of the open deletion window; undefined when none is open. */
  windowStart: number | undefined;
  /** Live records that a run of the open window has seen. */
  seenInWindow: Set<string>;
}

/** Reads a copy of the files of a killed server, so that recovery is left to the server's next start. */
export async function inspectKilled(home: string, sync: string): Promise<DatabaseFacts> {
  const copy = await createTempHome();
  try {
    const files = (await readdir(home)).filter((name) => name.startsWith('homeport.db'));
    for (const name of files) await copyFile(join(home, name), join(copy.path, name));
    return await inspect(copy.path, sync);
  } finally {
    await copy.remove();
  }
}

export function inspect(home: string, sync: string): Promise<DatabaseFacts> {
  return lookInto(home, (database) => readFacts(database, sync));
}

async function readFacts({ reader }: Database, sync: string): Promise<DatabaseFacts> {
  const integrity = await reader.all<{ integrity_check: string }>('PRAGMA integrity_check');
  const [own] = await reader.all<{ id: string; rowId: number; connection: number }>(
    'SELECT id, row_id AS rowId, connection_row_id AS connection FROM syncs WHERE name = ?',
    [sync],
  );
  if (!own) throw new Error(`There is no sync ${sync}.`);
  const jobs = await reader.all<{ status: string; result: string }>(
    'SELECT status, result FROM sync_jobs WHERE sync_row_id = ? ORDER BY id',
    [own.rowId],
  );
  const stream = await reader.get<{ id: number; liveCount: number }>(
    'SELECT id, live_count AS liveCount FROM record_streams WHERE connection_row_id = ? AND retired = 0',
    [own.connection],
  );
  const live = await reader.all<{ id: string; seen: number }>(
    'SELECT external_id AS id, seen_job_id AS seen FROM records WHERE stream_id = ? AND deleted_at IS NULL',
    [stream?.id ?? 0],
  );
  const queued = await reader.all("SELECT 1 FROM jobs WHERE schedule_id = ? AND state IN ('created', 'started')", [
    own.id,
  ]);
  const checkpoints = await reader.all<{ key: string; value: string }>(
    'SELECT key, value FROM checkpoints WHERE connection_row_id = ? AND deleted_at IS NULL',
    [own.connection],
  );
  const stored = (ending: string) =>
    JSON.parse(checkpoints.find(({ key }) => key === `sync:${sync}:base${ending}`)?.value ?? '{}');
  const windowStart: number | undefined = stored(':trackDeletes:Item').jobId;
  return {
    integrity: integrity.map((row) => row.integrity_check),
    counted: sumOf(jobs.map(({ result }) => JSON.parse(result).Item)),
    liveRows: live.length,
    liveCount: stream?.liveCount ?? 0,
    runs: jobs.map(({ status }) => status),
    liveJobs: queued.length,
    savedPages: stored('').page ?? 0,
    windowStart,
    seenInWindow: new Set(live.filter(({ seen }) => seen >= (windowStart ?? Infinity)).map(({ id }) => id)),
  };
}

function sumOf(results: Array<Change | undefined>): Change {
  const sum = { added: 0, updated: 0, deleted: 0 };
  for (const result of results) {
    sum.added += result?.added ?? 0;
    sum.updated += result?.updated ?? 0;
    sum.deleted += result?.deleted ?? 0;
  }
  return sum;
}
