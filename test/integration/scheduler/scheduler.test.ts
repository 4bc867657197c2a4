import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database, isUniqueViolation } from '../../../server/platform/database/database.ts';
import { HomeportError } from '../../../server/platform/lib/homeport-error.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import type { Job, JobKind } from '../../../server/platform/scheduler/job-kind.ts';
import { JobsStore } from '../../../server/platform/scheduler/jobs.store.ts';
import { jobTables } from '../../../server/platform/scheduler/jobs.tables.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import { DatabaseTurns } from '../../support/database-turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome } from '../../support/temp-home.ts';

interface Started {
  job: Job;
  signal: AbortSignal;
  end(error?: Error): void;
}

/** A kind whose jobs end on the test's command, or as soon as they are aborted. */
function heldKind(part: Partial<JobKind> = {}): { kind: JobKind; started: Started[] } {
  const started: Started[] = [];
  const kind: JobKind = {
    concurrency: 2,
    timeoutMs: 60_000,
    handler: (job, signal) =>
      new Promise((resolve, reject) => {
        started.push({ job, signal, end: (error) => (error ? reject(error) : resolve()) });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    ...part,
  };
  return { kind, started };
}

describe('the scheduler', () => {
  let home: Awaited<ReturnType<typeof createTempHome>>;
  let database: Database;
  let turns: DatabaseTurns;
  let clock: FakeClock;
  let scheduler: Scheduler;

  beforeEach(async () => {
    home = await createTempHome();
    clock = new FakeClock();
    database = await Database.open({ file: join(home.path, 'jobs.db') });
    turns = new DatabaseTurns(database);
    for (const sql of jobTables) await database.maintenance(sql);
    scheduler = new Scheduler({ database, clock, logger: silentLogger });
  });

  afterEach(async () => {
    await stop();
    await database.close();
    await home.remove();
  });

  async function stop(): Promise<void> {
    let isDone = false;
    const stopping = scheduler.stop(100).then(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(100);
    await stopping;
  }

  const idle = (): Promise<void> => turns.pass(20);

  const enqueue = (kind: string, payload: unknown, part: object = {}) =>
    database.transaction((tx) => scheduler.enqueue(tx, { kind, payload, ...part }));
  const rows = () =>
    database.reader.all<{ state: string; attempt: number }>('SELECT state, attempt FROM jobs ORDER BY id');

  it('starts nothing while it is held, lets running jobs end, and takes up what waited once each', async () => {
    const { kind, started } = heldKind({ concurrency: 5, whenInterrupted: 'retry' });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 });
    await enqueue('held', { n: 2 });
    const third = await enqueue('held', { n: 3 });
    await idle();
    await scheduler.hold();
    started[0]?.end();
    started[1]?.end(new HomeportError('vault_locked', 'locked'));
    await database.transaction((tx) => scheduler.cancel(tx, third));
    await enqueue('held', { n: 4 });
    const schedule = { id: 's', kind: 'held', group: '', payload: { n: 's' }, frequencyMs: 1000, isStarted: true };
    await database.transaction((tx) => scheduler.schedules.create(tx, [schedule]));
    await clock.advance(5000);
    await idle();
    expect(started).toHaveLength(3);
    expect(started[2]?.signal.aborted).toBe(true);

    scheduler.release();
    await idle();
    const later = started.slice(3).map(({ job }) => [job.payload, job.attempt]);
    expect(later).toHaveLength(3);
    expect(later).toEqual(
      expect.arrayContaining([
        [{ n: 2 }, 1],
        [{ n: 4 }, 1],
        [{ n: 's' }, 1],
      ]),
    );
  });

  describe('with a clock that was a day ahead for some seconds', () => {
    const DAY_MS = 86_400_000;
    const create = () =>
      database.transaction((tx) =>
        scheduler.schedules.create(tx, [
          { id: 's', kind: 'quick', group: '', payload: {}, frequencyMs: 60_000, isStarted: true },
        ]),
      );
    let runs = 0;
    const startAnother = async (): Promise<void> => {
      scheduler = new Scheduler({ database, clock, logger: silentLogger });
      const handler = async (): Promise<void> => {
        runs += 1;
      };
      scheduler.register('quick', { concurrency: 1, timeoutMs: 60_000, handler });
      await scheduler.start();
    };

    it.each([false, true])('runs a schedule within its frequency (started again: %s)', async (isStartedAgain) => {
      clock.step(DAY_MS);
      await startAnother();
      await create();
      await clock.advance(4_000);
      await idle();
      if (isStartedAgain) await stop();
      clock.step(-DAY_MS);
      if (isStartedAgain) await startAnother();
      const before = runs;

      await clock.advance(61_000);
      await idle();

      expect(runs).toBeGreaterThan(before);
    });

    it('starts a waiting job, and frees the schedule of a run that ends after the step', async () => {
      const { kind, started } = heldKind();
      scheduler.register('held', kind);
      clock.step(DAY_MS);
      await scheduler.start();
      await enqueue('held', { n: 1 }, { runAt: clock.now() + 10_000 });
      const schedule = { id: 'h', kind: 'held', group: '', payload: {}, frequencyMs: 60_000, isStarted: true };
      await database.transaction((tx) => scheduler.schedules.create(tx, [schedule]));
      await clock.advance(1_000);
      await idle();
      expect(started).toHaveLength(1);

      clock.step(-DAY_MS);
      await clock.advance(2_000);
      await idle();
      expect(started).toHaveLength(2);
      for (const { end } of started) end();
      await idle();
      await clock.advance(61_000);
      await idle();

      expect(started).toHaveLength(3);
    });

    it('starts a job that was stored after the step with a time of before it', async () => {
      const { kind, started } = heldKind();
      scheduler.register('held', kind);
      clock.step(DAY_MS);
      await scheduler.start();
      await idle();
      const runAt = clock.now() + 3_000;
      clock.step(-DAY_MS);
      await clock.advance(2_000);
      await idle();

      await enqueue('held', { n: 1 }, { runAt });
      await clock.advance(12_000);
      await idle();

      expect(started).toHaveLength(1);
    });

    it('starts a job that was stored while the clock was ahead between two looks', async () => {
      const { kind, started } = heldKind();
      scheduler.register('held', kind);
      await scheduler.start();
      await idle();
      await enqueue('held', { n: 1 }, { runAt: clock.now() + DAY_MS });

      await clock.advance(6 * 60_000);
      await idle();

      expect(started).toHaveLength(1);
    });

    it('tells others at start, after some time and after each step back, and soon after that once more', async () => {
      const steps: number[] = [];
      scheduler.onStepBack(async (_, { stepMs }) => {
        steps.push(Math.round(stepMs / DAY_MS));
      });
      await scheduler.start();
      await idle();
      clock.step(DAY_MS);
      await clock.advance(2_000);
      await idle();
      clock.step(-DAY_MS);
      await clock.advance(5_000);
      await idle();
      expect(steps).toEqual([0, 0, 1]);

      await clock.advance(60_000);
      await idle();
      expect(steps).toEqual([0, 0, 1, 0]);
    });
  });

  it('gives a job its time awake: neither sleep nor a step of the clock uses it up', async () => {
    const { kind, started } = heldKind({ timeoutMs: 60_000, heartbeatTimeoutMs: 30_000 });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 });
    await clock.advance(1_000);
    await idle();

    await clock.skip(3_600_000);
    clock.step(86_400_000);
    await clock.advance(2_000);
    expect(started[0]?.signal.aborted).toBe(false);

    await clock.advance(31_000);
    expect(started[0]?.signal.aborted).toBe(true);
  });

  it('gives a waiting job its time awake to start, also when something is queued right after a sleep', async () => {
    const { kind, started } = heldKind({ concurrency: 1, startWithinMs: 3_600_000, timeoutMs: 86_400_000 });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 });
    await enqueue('held', { n: 2 });
    await clock.advance(1_000);
    await idle();

    clock.step(86_400_000);
    await enqueue('held', { n: 3 });
    await idle();
    await clock.skip(86_400_000);
    await idle();
    started[0]?.end();
    await idle();
    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 2 }]);

    await clock.advance(3_700_000);
    await idle();
    expect(started).toHaveLength(2);
  });

  it('starts a later job on time while an overdue one waits for its group', async () => {
    const { kind, started } = heldKind({ concurrencyPerGroup: 1 });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 }, { group: 'slow' });
    await enqueue('held', { n: 2 }, { group: 'slow' });
    await enqueue('held', { n: 3 }, { group: 'other', runAt: clock.now() + 3000 });
    await idle();

    await clock.advance(3000);
    await idle();

    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 3 }]);
  });

  it('starts as many jobs of a kind as it has slots, oldest first, and drops them when they end', async () => {
    const { kind, started } = heldKind();
    scheduler.register('held', kind);
    await scheduler.start();
    for (const n of [1, 2, 3]) await enqueue('held', { n });
    await idle();
    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 2 }]);

    started[0]?.end();
    await idle();

    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(await rows()).toHaveLength(2);
  });

  it('knows nothing of a job whose transaction was rolled back', async () => {
    const { kind, started } = heldKind();
    scheduler.register('held', kind);
    await scheduler.start();

    const failing = database.transaction(async (tx) => {
      await scheduler.enqueue(tx, { kind: 'held', payload: {} });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await idle();

    expect(started).toEqual([]);
  });

  describe('with partitions', () => {
    const partitionsOf = (started: Started[]): unknown[] =>
      started.map(({ job }) => (job.payload as { partition: string }).partition);
    const enqueueMany = async (count: number, partition: string): Promise<void> => {
      for (let n = 0; n < count; n++)
        await enqueue('held', { partition }, { partition, group: `${partition} ${n % 3}` });
    };

    it('gives every partition its turn, however many jobs of one wait', async () => {
      const { kind, started } = heldKind({ concurrency: 4, concurrencyPerGroup: 2, slotsForIdlePartitions: 1 });
      scheduler.register('held', kind);
      await enqueueMany(10, 'busy');
      await enqueueMany(2, 'quiet');
      await enqueueMany(1, 'new');

      await scheduler.start();
      await idle();
      expect(partitionsOf(started)).toEqual(['busy', 'new', 'quiet']);

      started[0]?.end();
      await idle();

      // The last slot is for a partition without running jobs.
      expect(partitionsOf(started).slice(3)).toEqual(['busy']);
      for (const { end } of [...started]) end();
      await idle();
      expect(partitionsOf(started).slice(4, 6)).toEqual(['busy', 'quiet']);
    });

    it.each(['jobs', 'schedules'] as const)(
      'keeps the limit of each group where many %s of one partition start at once',
      async (source) => {
        const { kind, started } = heldKind({ concurrency: 8, concurrencyPerGroup: 2, slotsForIdlePartitions: 2 });
        scheduler.register('held', kind);
        const groups = ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'c', 'c'];
        await database.transaction(async (tx) => {
          for (const [index, group] of groups.entries()) {
            const spec = { kind: 'held', group, partition: 'p', payload: { group } };
            if (source === 'jobs') await scheduler.enqueue(tx, spec);
            else
              await scheduler.schedules.create(tx, [
                { ...spec, id: `${index}`, isStarted: true, frequencyMs: 3_600_000 },
              ]);
          }
        });

        await scheduler.start();
        await idle();

        const groupsOf = (): unknown[] => started.map(({ job }) => job.group).sort();
        expect(groupsOf()).toEqual(['a', 'a', 'b', 'c', 'c']);
        started.find(({ job }) => job.group === 'a')?.end();
        await clock.advance(20);
        await idle();
        expect(groupsOf()).toEqual(['a', 'a', 'a', 'b', 'c', 'c']);
      },
    );

    it('fills a place that became free soon, and several at once', async () => {
      const { kind, started } = heldKind({ concurrency: 8 });
      scheduler.register('held', kind);
      await scheduler.start();
      await enqueueMany(20, 'any');
      await idle();
      expect(started).toHaveLength(8);

      started[0]?.end();
      await idle();
      expect(started).toHaveLength(8);
      for (const index of [1, 2, 3]) started[index]?.end();
      await idle();
      expect(started).toHaveLength(12);

      started[4]?.end();
      await idle();
      await clock.advance(49);
      await idle();
      expect(started).toHaveLength(12);
      await clock.advance(1);
      await idle();
      expect(started).toHaveLength(13);
    });

    it('keeps places for partitions that come later', async () => {
      const { kind, started } = heldKind({ concurrency: 4, slotsForIdlePartitions: 2 });
      scheduler.register('held', kind);
      await scheduler.start();
      await enqueueMany(10, 'busy');
      await idle();
      expect(partitionsOf(started)).toEqual(['busy', 'busy']);

      await enqueueMany(3, 'late');
      await idle();

      expect(partitionsOf(started)).toEqual(['busy', 'busy', 'late']);
    });

    it('takes turns among schedules too, and lets queued jobs and schedules share a partition', async () => {
      const { kind, started } = heldKind({ concurrency: 3, slotsForIdlePartitions: 1 });
      scheduler.register('held', kind);
      const schedule = (id: string, partition: string) => ({
        id,
        kind: 'held',
        group: id,
        partition,
        payload: { partition },
        isStarted: true,
        frequencyMs: 3_600_000,
      });
      await database.transaction((tx) =>
        scheduler.schedules.create(tx, [
          ...[1, 2, 3, 4].map((n) => schedule(`busy-${n}`, 'busy')),
          schedule('quiet', 'quiet'),
        ]),
      );
      await enqueueMany(5, 'busy');

      await scheduler.start();
      await idle();

      expect(partitionsOf(started).sort()).toEqual(['busy', 'quiet']);
    });

    it('continues with a partition whose first jobs wait for their group', async () => {
      const { kind, started } = heldKind({ concurrency: 4, concurrencyPerGroup: 1, slotsForIdlePartitions: 1 });
      scheduler.register('held', kind);
      for (const group of ['a', 'a', 'b']) await enqueue('held', { group }, { partition: 'one', group });

      await scheduler.start();
      await idle();

      expect(started.map(({ job }) => job.payload)).toEqual([{ group: 'a' }, { group: 'b' }]);
    });
  });

  it('does not let one group take every place', async () => {
    const { kind, started } = heldKind({ concurrency: 3, concurrencyPerGroup: 1 });
    scheduler.register('held', kind);
    await scheduler.start();
    for (const n of [1, 2, 3]) await enqueue('held', { n }, { group: 'big' });
    await enqueue('held', { n: 4 }, { group: 'small' });

    await idle();
    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 4 }]);
    started[0]?.end();
    await idle();

    expect(started.map(({ job }) => job.payload)).toEqual([{ n: 1 }, { n: 4 }, { n: 2 }]);
  });

  it('runs a job at its time, tries it again after its pause, and gives up after the last attempt', async () => {
    const attempts: Array<[number, boolean]> = [];
    scheduler.register('failing', {
      concurrency: 1,
      timeoutMs: 1000,
      maxAttempts: 3,
      retryDelayMs: (attempt) => attempt * 1000,
      handler: async (job) => {
        attempts.push([clock.now(), job.isLastAttempt]);
        throw new Error('no');
      },
    });
    await scheduler.start();
    const start = clock.now();
    await enqueue('failing', {}, { runAt: start + 5000 });

    for (let second = 0; second < 10; second++) {
      await clock.advance(1000);
      await idle();
    }

    expect(attempts).toEqual([
      [start + 5000, false],
      [start + 6000, false],
      [start + 8000, true],
    ]);
    expect(await rows()).toEqual([]);
  });

  it.each(Array.from({ length: 12 }, (_, turns) => turns))(
    'looks again for who wakes it %i turns after a look ended',
    async (turns) => {
      let looks = 0;
      let afterLook = async (): Promise<void> => {};
      const counted = {
        transaction: async (work: Parameters<Database['transaction']>[0]) => {
          looks += 1;
          const result = await database.transaction(work);
          void afterLook();
          return result;
        },
      };
      const watched = new Scheduler({ database: counted as unknown as Database, clock, logger: silentLogger });
      await watched.start();
      await idle();
      const before = looks;
      const woken = Promise.withResolvers<void>();
      afterLook = async () => {
        afterLook = async () => {};
        for (let turn = 0; turn < turns; turn++) await undefined;
        watched.wake();
        woken.resolve();
      };
      watched.wake();
      await woken.promise;
      await idle();
      await watched.stop(0);

      expect(looks - before).toBe(2);
    },
  );

  it('expires a job that found no place in time and tells its kind', async () => {
    const lost: unknown[] = [];
    const { kind } = heldKind({
      concurrency: 1,
      startWithinMs: 10_000,
      timeoutMs: 10 ** 9,
      onUnfinished: async (job, reason) => void lost.push([job.payload, reason]),
    });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 });
    await enqueue('held', { n: 2 });
    await idle();

    await clock.advance(11_000);
    await idle();

    expect(lost).toEqual([[{ n: 2 }, 'expired']]);
    expect(await rows()).toEqual([{ state: 'started', attempt: 1 }]);
  });

  it('aborts a job over its time, and one that gives no sign of life', async () => {
    const slow = heldKind({ timeoutMs: 5000 });
    const silent = heldKind({ heartbeatTimeoutMs: 3000 });
    scheduler.register('slow', slow.kind);
    scheduler.register('silent', silent.kind);
    await scheduler.start();
    await enqueue('slow', {});
    await enqueue('silent', {});
    await idle();
    await clock.advance(2000);
    silent.started[0]?.job.heartbeat();

    await clock.advance(2500);
    expect(silent.started[0]?.signal.aborted).toBe(false);
    await clock.advance(3000);

    expect(slow.started[0]?.signal.reason).toMatchObject({ kind: 'timeout' });
    expect(silent.started[0]?.signal.reason).toMatchObject({ kind: 'heartbeat' });
  });

  it('cancels a queued job silently and aborts a running one once the cancellation is stored', async () => {
    const { kind, started } = heldKind({ concurrency: 1 });
    scheduler.register('held', kind);
    await scheduler.start();
    const running = await enqueue('held', { n: 1 });
    const queued = await enqueue('held', { n: 2 });
    await idle();
    await expect(
      database.transaction(async (tx) => {
        await scheduler.cancel(tx, running);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow();
    await idle();
    expect(started[0]?.signal.aborted).toBe(false);

    await database.transaction(async (tx) => {
      await scheduler.cancel(tx, queued);
      await scheduler.cancel(tx, running);
    });
    await idle();

    expect(started).toHaveLength(1);
    expect(started[0]?.signal.reason).toMatchObject({ kind: 'cancelled' });
    expect(await rows()).toEqual([]);
  });

  it('ends running jobs once, and not once they were cancelled', async () => {
    const { kind } = heldKind();
    scheduler.register('kind', kind);
    await scheduler.start();
    const reserve = () => database.transaction((tx) => scheduler.reserve(tx, { kind: 'kind', payload: {} }));
    const [kept, cancelled, other] = [await reserve(), await reserve(), await reserve()];
    const end = (...ids: number[]) => database.transaction((tx) => scheduler.completeWanted(tx, ids));
    await database.transaction((tx) => scheduler.cancel(tx, cancelled));

    expect(await end(kept, cancelled, other)).toEqual(new Set([kept, other]));
    expect(await end(kept, cancelled, other)).toEqual(new Set());
  });

  it('leaves a reserved job to its caller, unless it is handed over or the process ends', async () => {
    const { kind, started } = heldKind({ whenInterrupted: 'retry' });
    scheduler.register('kind', kind);
    await scheduler.start();
    const reserve = (name: string) =>
      database.transaction((tx) => scheduler.reserve(tx, { kind: 'kind', payload: { name, rest: 1 } }));
    const [done, handed] = [await reserve('done'), await reserve('handed')];
    await reserve('left');
    await idle();
    expect(started).toHaveLength(0);

    await database.transaction((tx) => scheduler.complete(tx, done));
    await database.transaction((tx) => scheduler.handOver(tx, handed, { rest: null }));
    await idle();
    expect(started.map(({ job }) => job.payload)).toEqual([{ name: 'handed' }]);
    started[0]?.end();
    await idle();
    await stop();
    scheduler = new Scheduler({ database, clock, logger: silentLogger });
    scheduler.register('kind', kind);
    await scheduler.start();
    await idle();

    expect(started.slice(1).map(({ job }) => job.payload)).toEqual([{ name: 'left', rest: 1 }]);
  });

  it('hands a job that its caller left over when the disk has space again', async () => {
    const { kind, started } = heldKind({ whenInterrupted: 'retry' });
    scheduler.register('kind', kind);
    await scheduler.start();
    const id = await database.transaction((tx) => scheduler.reserve(tx, { kind: 'kind', payload: {} }));
    await idle();
    const failed = Promise.withResolvers<void>();
    database.guard({
      beforeWrite: () => {
        failed.resolve();
        throw new Error('no space');
      },
      afterDurableWrite: () => {},
    });

    scheduler.leave(id);
    await failed.promise;
    expect(started).toHaveLength(0);

    database.guard({ beforeWrite: () => {}, afterDurableWrite: () => {} });
    while (started.length === 0) {
      await clock.advance(1_000);
      await idle();
    }
    expect(started).toHaveLength(1);
  });

  it('fails or retries what a dead process left running, as the kind wants', async () => {
    const left: unknown[] = [];
    const failing = heldKind({ onUnfinished: async (job, reason) => void left.push([job.kind, reason]) });
    const retrying = heldKind({ whenInterrupted: 'retry' });
    for (const target of [scheduler]) {
      target.register('failing', failing.kind);
      target.register('retrying', retrying.kind);
    }
    await scheduler.start();
    await enqueue('failing', {});
    await enqueue('retrying', {});
    await idle();
    await database.close();
    database = await Database.open({ file: join(home.path, 'jobs.db') });
    turns = new DatabaseTurns(database);
    scheduler = new Scheduler({ database, clock, logger: silentLogger });
    scheduler.register('failing', failing.kind);
    scheduler.register('retrying', retrying.kind);

    await scheduler.start();
    await idle();

    expect(left).toEqual([['failing', 'interrupted']]);
    expect(retrying.started).toHaveLength(2);
    expect(failing.started).toHaveLength(1);
    expect(await rows()).toEqual([{ state: 'started', attempt: 1 }]);
  });

  it('reads one entry of a group at its limit, however many jobs wait behind it', async () => {
    const { kind } = heldKind({ concurrencyPerGroup: 1 });
    scheduler.register('held', kind);
    const fill = (count: number) =>
      database.maintenance(
        `INSERT INTO jobs (kind, job_group, payload, state, attempt, max_attempts, run_at, created_at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         SELECT 'held', 'big', '{}', 'created', 1, 1, i, 0 FROM n`,
      );
    const quickestClaim = async (): Promise<number> => {
      const claim = { kind: 'held', now: clock.now(), limit: 10, limitPerGroup: 1, busySchedules: [] };
      const times: number[] = [];
      for (let round = 0; round < 20; round++) {
        const begin = performance.now();
        await database.transaction((tx) => new JobsStore().listExpired(tx, clock.now()));
        await database.transaction((tx) => new JobsStore().claimByGroup(tx, { ...claim, running: new Map() }));
        times.push(performance.now() - begin);
      }
      return Math.min(...times);
    };
    await fill(100);
    const few = await quickestClaim();
    await fill(100_000);

    // Reading through all of them takes fifty times as long.
    expect(await quickestClaim()).toBeLessThan(10 * few);
  });

  describe('a job that ends without its handler', () => {
    const reported: unknown[] = [];
    let tell: () => Promise<void>;
    const reportingKind = (part: Partial<JobKind> = {}) =>
      heldKind({
        onUnfinished: async (job, reason) => {
          await tell();
          reported.push([job.payload, reason]);
        },
        ...part,
      });

    beforeEach(() => {
      reported.length = 0;
      tell = async () => {};
    });

    async function crash(register: (fresh: Scheduler) => void): Promise<void> {
      await database.close();
      database = await Database.open({ file: join(home.path, 'jobs.db') });
      turns = new DatabaseTurns(database);
      scheduler = new Scheduler({ database, clock, logger: silentLogger });
      register(scheduler);
      await scheduler.start();
      await idle();
    }

    it('because its last attempt threw, is reported as failed', async () => {
      const { kind, started } = reportingKind({ maxAttempts: 2, retryDelayMs: () => 0 });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await idle();
      started[0]?.end(new Error('no'));
      await idle();
      expect(reported).toEqual([]);
      await clock.advance(1);
      await idle();

      started[1]?.end(new Error('no'));
      await idle();

      expect(reported).toEqual([[{ n: 1 }, 'failed']]);
      expect(await rows()).toEqual([]);
    });

    it('is reported again until it was received, also by the next start of the program', async () => {
      const { kind } = reportingKind({ concurrency: 0, startWithinMs: 1000 });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      tell = () => Promise.reject(new Error('locked'));
      await clock.advance(1500);
      await idle();
      await clock.advance(5000);
      await idle();
      expect([reported, await rows()]).toEqual([[], []]);

      tell = async () => {};
      await crash((fresh) => fresh.register('kind', kind));

      expect(reported).toEqual([[{ n: 1 }, 'expired']]);
      expect(await database.reader.all('SELECT * FROM job_reports')).toEqual([]);
    });

    it('is not reported while the scheduler is held, and does not expire meanwhile', async () => {
      const { kind } = reportingKind({ concurrency: 0, startWithinMs: 10_000 });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await clock.advance(9000);
      await idle();

      await scheduler.hold();
      await clock.advance(60_000);
      await idle();
      expect([reported, await rows()]).toEqual([[], [{ state: 'created', attempt: 1 }]]);

      scheduler.release();
      await clock.advance(900);
      await idle();
      expect(reported).toEqual([]);
      await clock.advance(200);
      await idle();
      expect(reported).toEqual([[{ n: 1 }, 'expired']]);
    });

    it.each([
      ['sleep', () => clock.skip(3_600_000)],
      ['a clock that is set ahead', async () => clock.step(3_600_000)],
      ['a clock that is set back', async () => clock.step(-3_600_000)],
    ])('has the same time to start after %s during a hold', async (_, pass) => {
      const { kind } = reportingKind({ concurrency: 0, startWithinMs: 10_000 });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await clock.advance(4000);
      await idle();

      await scheduler.hold();
      await clock.advance(3000);
      await pass();
      await clock.advance(3000);
      await idle();
      scheduler.release();
      await clock.advance(4000);
      await idle();
      expect(reported).toEqual([]);

      await clock.advance(3500);
      await idle();
      expect(reported).toEqual([[{ n: 1 }, 'expired']]);
    });

    it('because the vault was locked while it ran, is reported once the scheduler is released', async () => {
      const { kind, started } = reportingKind();
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await idle();

      await scheduler.hold();
      started[0]?.end(new HomeportError('vault_locked', 'locked'));
      await idle();
      expect(reported).toEqual([]);

      scheduler.release();
      await idle();
      expect(reported).toEqual([[{ n: 1 }, 'interrupted']]);
    });

    it('because it could not start again in time, is reported as expired', async () => {
      const { kind, started } = reportingKind({
        concurrency: 1,
        startWithinMs: 1000,
        maxAttempts: 2,
        retryDelayMs: () => 5000,
      });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await idle();
      await clock.advance(4000);
      started[0]?.end(new Error('failed'));
      await idle();
      await enqueue('kind', { n: 2 });
      await idle();

      await clock.advance(5500);
      await idle();
      expect([reported, await rows()]).toEqual([
        [],
        [
          { state: 'created', attempt: 2 },
          { state: 'started', attempt: 1 },
        ],
      ]);
      await clock.advance(1000);
      await idle();

      expect(reported).toEqual([[{ n: 1 }, 'expired']]);
    });

    it('because the program ended during its run and it could not start again in time, is reported as expired', async () => {
      const { kind } = reportingKind({ startWithinMs: 1000, whenInterrupted: 'retry' });
      scheduler.register('kind', kind);
      await scheduler.start();
      await enqueue('kind', { n: 1 });
      await idle();
      await clock.advance(10_000);

      await crash((fresh) => fresh.register('kind', { ...kind, concurrency: 0 }));
      expect([reported, await rows()]).toEqual([[], [{ state: 'created', attempt: 1 }]]);
      await clock.advance(1500);
      await idle();

      expect(reported).toEqual([[{ n: 1 }, 'expired']]);
    });

    it('does not delay other jobs while it is reported', async () => {
      const slow = Promise.withResolvers<void>();
      tell = () => slow.promise;
      scheduler.register('expiring', reportingKind({ concurrency: 0, startWithinMs: 1000 }).kind);
      const { kind, started } = heldKind();
      scheduler.register('held', kind);
      await scheduler.start();
      await enqueue('expiring', {});
      await clock.advance(1500);
      await idle();

      await enqueue('held', {});
      await idle();

      expect([reported.length, started.length]).toEqual([0, 1]);
      slow.resolve();
    });

    it('because the program ended under it twice in a row, does not begin again', async () => {
      const { kind, started } = reportingKind({ whenInterrupted: 'retry', maxInterruptions: 2, timeoutMs: 10 ** 9 });
      const register = (fresh: Scheduler): void => fresh.register('kind', kind);
      register(scheduler);
      await scheduler.start();
      const spec = { id: 's', kind: 'kind', group: '', payload: { n: 1 }, isStarted: true, frequencyMs: 60_000 };
      await database.transaction((tx) => scheduler.schedules.create(tx, [spec]));
      await idle();

      await crash(register);
      expect([started.length, reported]).toEqual([2, []]);
      await crash(register);
      expect([started.length, reported]).toEqual([2, [[{ n: 1 }, 'interrupted']]]);

      await clock.advance(60_000);
      await idle();
      expect(started).toHaveLength(3);
    });
  });

  it('stores the end of a job again when the database refused it', async () => {
    const { kind, started } = heldKind();
    let refusals = 0;
    const transaction = database.transaction.bind(database);
    const refusing = Object.assign(Object.create(database) as Database, {
      transaction: (work: Parameters<Database['transaction']>[0]) =>
        refusals-- > 0 ? Promise.reject(new Error('locked')) : transaction(work),
    });
    scheduler = new Scheduler({ database: refusing, clock, logger: silentLogger });
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', {});
    await idle();

    refusals = 1;
    started[0]?.end();
    await idle();
    expect(await rows()).toHaveLength(1);
    await clock.advance(1000);
    await idle();

    expect(await rows()).toEqual([]);
  });

  it('waits for running jobs when it stops, aborts the late ones, and leaves no timer', async () => {
    const { kind, started } = heldKind();
    scheduler.register('held', kind);
    await scheduler.start();
    await enqueue('held', { n: 1 });
    await enqueue('held', { n: 2 });
    await idle();
    const stopping = scheduler.stop(1000);
    await idle();

    started[0]?.end();
    await idle();
    expect(started[1]?.signal.aborted).toBe(false);
    await clock.advance(1000);
    await stopping;

    expect(started[1]?.signal.reason).toMatchObject({ kind: 'shutdown' });
    expect(await rows()).toEqual([]);
  });

  describe('schedules', () => {
    const schedule = (id: string, part: object = {}) => ({
      id,
      kind: 'held',
      group: '',
      payload: { id },
      isStarted: true,
      frequencyMs: 60_000,
      ...part,
    });
    let held: ReturnType<typeof heldKind>;

    beforeEach(async () => {
      held = heldKind({ timeoutMs: 10 ** 9 });
      scheduler.register('held', held.kind);
      await scheduler.start();
    });

    const create = (...specs: Array<ReturnType<typeof schedule>>) =>
      database.transaction((tx) => scheduler.schedules.create(tx, specs));

    it('drops none of many that are due together: they start as slots become free', async () => {
      await create(...Array.from({ length: 25 }, (_, index) => schedule(`s${index}`)));
      await idle();
      expect(held.started).toHaveLength(2);

      for (let index = 0; index < 24; index++) {
        held.started[index]?.end();
        await idle();
      }

      expect(new Set(held.started.map(({ job }) => job.scheduleId)).size).toBe(25);
    });

    it('allows one live run per schedule and says so with a unique violation', async () => {
      await create(schedule('s'));
      await idle();

      const second = database.transaction((tx) =>
        scheduler.schedules.runNow(tx, 'held', [{ scheduleId: 's', group: '', payload: {} }]),
      );

      expect(isUniqueViolation(await second.catch((error: unknown) => error))).toBe(true);
    });

    it('begins the run after a cancelled one only when that has ended', async () => {
      let letGo: () => void = () => {};
      held.kind.handler = (job, signal) =>
        new Promise((resolve) => {
          held.started.push({ job, signal, end: () => resolve() });
          letGo = resolve;
        });
      await create(schedule('s'));
      await idle();

      await database.transaction(async (tx) => {
        await scheduler.schedules.cancelRuns(tx, ['s']);
        await scheduler.schedules.runNow(tx, 'held', [{ scheduleId: 's', group: '', payload: { isSecond: true } }]);
      });
      await idle();
      expect(held.started).toHaveLength(1);
      expect(held.started[0]?.signal.aborted).toBe(true);
      letGo();
      await idle();

      expect(held.started.map(({ job }) => job.payload)).toEqual([{ id: 's' }, { isSecond: true }]);
      letGo();
    });

    it('keeps the grid when the frequency changes', async () => {
      await create(schedule('s'));
      await idle();
      held.started[0]?.end();
      await clock.advance(10_000);
      await idle();

      await database.transaction((tx) => scheduler.schedules.setFrequency(tx, ['s'], 45_000));

      const { nextExecutionAt, startsAt } = (await scheduler.schedules.find(database.reader, 's')) ?? {
        nextExecutionAt: 0,
        startsAt: 0,
      };
      expect(nextExecutionAt - startsAt).toBe(45_000);
    });

    it('runs a paused one that never ran as soon as it is started', async () => {
      await create(schedule('s', { isStarted: false }));
      await clock.advance(5000);
      await idle();
      expect(held.started).toHaveLength(0);

      await database.transaction((tx) => scheduler.schedules.start(tx, ['s']));
      await idle();

      expect(held.started).toHaveLength(1);
    });

    it('starts none during a pause of all, and each once when it ends by time or by a person', async () => {
      scheduler.pauseSchedules('battery', clock.now() + 100_000);
      scheduler.pauseSchedules('person', Number.POSITIVE_INFINITY);
      await create(schedule('s'));
      await enqueue('held', { isAsked: true });
      await clock.advance(60_000);
      await idle();
      expect(held.started.map(({ job }) => job.payload)).toEqual([{ isAsked: true }]);
      expect(scheduler.schedulesPause).toMatchObject({
        until: Number.POSITIVE_INFINITY,
        pauses: [{ reason: 'battery' }, { reason: 'person' }],
      });

      scheduler.resumeSchedules('person');
      await idle();
      expect(held.started).toHaveLength(1);

      await clock.advance(50_000);
      await idle();
      expect(held.started.map(({ job }) => job.payload)).toEqual([{ isAsked: true }, { id: 's' }]);
      expect(scheduler.schedulesPause).toBeUndefined();
    });
  });
});
