/**
 * The cost of a tick of the scheduler with 30,000 schedules (10,000 connections × 3 syncs): idle, and when all are due.
 * Also the cost of a start of the scheduler, with none and with all of them.
 *
 *   node test/bench/scheduler-tick.bench.ts [schedules]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../server/platform/database/database.ts';
import { randomIds } from '../../server/platform/lib/ids.ts';
import { silentLogger } from '../../server/platform/lib/logger.ts';
import type { JobKind } from '../../server/platform/scheduler/job-kind.ts';
import { JobQueue } from '../../server/platform/scheduler/job-queue.ts';
import { JobReports } from '../../server/platform/scheduler/job-reports.ts';
import { JobsStore } from '../../server/platform/scheduler/jobs.store.ts';
import { jobTables } from '../../server/platform/scheduler/jobs.tables.ts';
import { RunningJobs } from '../../server/platform/scheduler/running-jobs.ts';
import { SchedulePauses } from '../../server/platform/scheduler/schedule-pauses.ts';
import { Scheduler } from '../../server/platform/scheduler/scheduler.ts';
import { SchedulesStore } from '../../server/platform/scheduler/schedules.store.ts';
import { FakeClock } from '../support/fake-clock.ts';

const TOTAL = Number(process.argv[2] ?? 30_000);
const TICKS = 300;
const PLACES = 10;
const INTEGRATIONS = 200;
const HOUR_MS = 3_600_000;

const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'));
const database = await Database.open({ file: join(folder, 'bench.db') });
for (const statement of jobTables) await database.maintenance(statement);
const clock = new FakeClock();
const kind: JobKind = { concurrency: PLACES, timeoutMs: HOUR_MS, handler: async () => {} };
const kinds = new Map([
  ['sync', { ...kind, concurrencyPerGroup: 4, slotsForIdlePartitions: 2 }],
  ['webhook', kind],
  ['action', kind],
  ['delivery', kind],
]);

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const at = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

async function startMs(): Promise<number> {
  const scheduler = new Scheduler({ database, clock, logger: silentLogger });
  const begin = performance.now();
  await scheduler.start();
  const duration = performance.now() - begin;
  await scheduler.stop();
  return duration;
}

async function tickMs(now: () => number): Promise<number[]> {
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
      for (const job of found.claimed) {
        await tx.run('DELETE FROM jobs WHERE id = ?', [job.id]);
        await schedules.release(tx, job.scheduleId ?? '', job.id, now(), now());
      }
    });
  }
  return durations;
}

const startEmpty = await startMs();
const scheduler = new Scheduler({ database, clock, logger: silentLogger });
await database.transaction((tx) =>
  scheduler.schedules.create(
    tx,
    Array.from({ length: TOTAL }, (_, index) => ({
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
const startFull = await startMs();
const idle = await tickMs(() => clock.now() - 1);
const due = await tickMs(() => clock.now());
console.log(
  `tick, ${TOTAL} schedules, none due   median ${median(idle).toFixed(2)} ms, 99th percentile ${at(idle, 0.99).toFixed(2)} ms`,
);
console.log(
  `tick, ${TOTAL} schedules, all due    median ${median(due).toFixed(2)} ms, 99th percentile ${at(due, 0.99).toFixed(2)} ms (starts ${PLACES})`,
);
console.log(
  `scheduler start                      ${startEmpty.toFixed(2)} ms with none, ${startFull.toFixed(2)} ms with all`,
);
await database.close();
await rm(folder, { recursive: true, force: true });
