import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../../server/platform/database/database.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import type { JobKind } from '../../../server/platform/scheduler/job-kind.ts';
import { JobQueue } from '../../../server/platform/scheduler/job-queue.ts';
import { JobReports } from '../../../server/platform/scheduler/job-reports.ts';
import { JobsStore } from '../../../server/platform/scheduler/jobs.store.ts';
import { jobTables } from '../../../server/platform/scheduler/jobs.tables.ts';
import { RunningJobs } from '../../../server/platform/scheduler/running-jobs.ts';
import { SchedulePauses } from '../../../server/platform/scheduler/schedule-pauses.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import { SchedulesStore } from '../../../server/platform/scheduler/schedules.store.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import type { BenchCase } from '../bench-case.ts';
import { addedAtMost, atMost } from '../bench-row.ts';
import { median } from '../measure.ts';

const SYNCS_PER_CONNECTION = 3;
const TICKS = 300;
const PLACES = 10;
const INTEGRATIONS = 200;
const HOUR_MS = 3_600_000;
const MAX_TICK_MS = 5;
const MAX_ADDED_MS = 5;

const kind: JobKind = { concurrency: PLACES, timeoutMs: HOUR_MS, handler: async () => {} };
const kinds = new Map([
  ['sync', { ...kind, concurrencyPerGroup: 4, slotsForIdlePartitions: 2 }],
  ['webhook', kind],
  ['action', kind],
  ['delivery', kind],
]);

interface Parts {
  database: Database;
  clock: FakeClock;
}

/** A tick of the scheduler with three schedules for each connection, idle and when all are due; and its start. */
export const schedulerTickCase: BenchCase = {
  name: 'scheduler-tick',
  run: async ({ growthConnections }) => {
    const total = growthConnections * SYNCS_PER_CONNECTION;
    const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'));
    const database = await Database.open({ file: join(folder, 'bench.db') });
    try {
      for (const statement of jobTables) await database.maintenance(statement);
      const parts = { database, clock: new FakeClock() };
      const startEmpty = await startMs(parts);
      await addSchedules(parts, total);
      const startFull = await startMs(parts);
      const idle = await tickMs(parts, () => parts.clock.now() - 1);
      const due = await tickMs(parts, () => parts.clock.now());
      return [
        atMost(`scheduler tick, ${total} schedules, none due`, { ours: median(idle) }, MAX_TICK_MS),
        atMost(`scheduler tick, ${total} schedules, all due (starts ${PLACES})`, { ours: median(due) }, MAX_TICK_MS),
        addedAtMost(
          `start of the scheduler with ${total} schedules (with none)`,
          { ours: startFull, baseline: startEmpty },
          MAX_ADDED_MS,
        ),
      ];
    } finally {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function startMs(parts: Parts): Promise<number> {
  const scheduler = new Scheduler({ ...parts, logger: silentLogger });
  const begin = performance.now();
  await scheduler.start();
  const duration = performance.now() - begin;
  await scheduler.stop();
  return duration;
}

async function addSchedules({ clock, database }: Parts, count: number): Promise<void> {
  const scheduler = new Scheduler({ database, clock, logger: silentLogger });
  await database.transaction((tx) =>
    scheduler.schedules.create(
      tx,
      Array.from({ length: count }, (_, index) => ({
        id: randomIds.uuid(),
        kind: 'sync',
        group: String(index),
        partition: String(index % INTEGRATIONS),
        payload: { index },
        isStarted: true,
        frequencyMs: HOUR_MS,
      })),
    ),
  );
}

async function tickMs({ clock, database }: Parts, now: () => number): Promise<number[]> {
  const schedules = new SchedulesStore();
  const reports = new JobReports({ database, clock, logger: silentLogger, kinds });
  const queue = new JobQueue({
    jobsStore: new JobsStore(),
    schedulesStore: schedules,
    kinds,
    running: new RunningJobs(),
    reports,
    pauses: new SchedulePauses(),
  });
  const durations: number[] = [];
  for (let tick = 0; tick < TICKS; tick++) {
    const begin = performance.now();
    const found = await database.transaction((tx) => queue.poll(tx, { now: now(), isHeld: false }));
    durations.push(performance.now() - begin);
    await database.transaction(async (tx) => {
      for (const { id } of found.claimed) await tx.run('DELETE FROM jobs WHERE id = ?', [id]);
      await schedules.release(tx, found.claimed, now());
    });
  }
  return durations;
}
