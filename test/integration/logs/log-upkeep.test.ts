import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../server/platform/database/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type LogsSetup, setUpLogs, UNLIMITED } from './logs-setup.ts';

const DAY_MS = 86_400_000;

let setup: LogsSetup;
beforeEach(async () => {
  setup = await setUpLogs();
});
afterEach(() => setup.close());

async function addMany(count: number, environmentId = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const operation = setup.logs.start({ environmentId, type: 'proxy', action: 'call', message: 'old' });
    operation.log({ level: 'warn', message: 'ancient' });
    operation.finish('success');
  }
  await setup.logs.flush();
}

const countOf = async (table: string): Promise<number> =>
  (await setup.database.reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1;

const TABLES = ['log_operations', 'log_messages', 'log_operations_search', 'log_messages_search'];

describe('LogsService, retention', () => {
  it('removes operations, messages and their search texts after 15 days, in slices of 1,000 rows', async () => {
    await addMany(1_200);
    await setup.clock.advance(15 * DAY_MS);
    await addMany(1);
    await setup.clock.advance(1);
    const deleted: number[] = [];
    const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
      setup.database.transaction((tx) =>
        work({
          ...tx,
          run: async (sql, params) => {
            const result = await tx.run(sql, params);
            if (sql.startsWith('DELETE FROM log_operations ') || sql.startsWith('DELETE FROM log_messages '))
              deleted.push(result.changes);
            return result;
          },
        }),
      );
    const { reader, longReader } = setup.database;
    const logs = setup.createService({ database: { reader, longReader, transaction } });

    expect(await logs.removeExpired()).toBe(1_200);

    expect(deleted).toEqual([1_000, 1_000, 200, 200]);
    expect(await Promise.all(TABLES.map(countOf))).toEqual([1, 1, 1, 1]);
    expect((await setup.logs.listOperations({ environmentId: 1, search: 'ancient' })).total).toBe(1);
  });

  it('keeps to the days of each environment', async () => {
    await addMany(1, 1);
    await addMany(1, 2);
    await setup.clock.advance(3 * DAY_MS);
    const logs = setup.createService({
      environments: { ...UNLIMITED, logRetentionDays: (environmentId) => (environmentId === 1 ? 2 : 30) },
    });

    await logs.removeExpired();

    expect((await logs.listOperations({ environmentId: 1 })).total).toBe(0);
    expect((await logs.listOperations({ environmentId: 2 })).total).toBe(1);
  });

  it('keeps to the bytes of each environment: the oldest go, what still runs stays', async () => {
    const write = (environmentId: number, count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const operation = setup.logs.start({ environmentId, type: 'proxy', action: 'call', message: `${index}` });
        operation.log({ level: 'warn', message: 'x'.repeat(10_000) });
        operation.finish('success');
      }
    };
    const running = setup.logs.start({ environmentId: 1, type: 'proxy', action: 'call', message: 'still running' });
    running.begin();
    for (let slot = 0; slot < 5; slot += 1) {
      write(1, 100);
      write(2, 100);
      await setup.logs.flush();
      await setup.clock.advance(600_000);
    }
    const megabytes = async (): Promise<number> => {
      const row = await setup.database.reader.get<{ bytes: number }>(
        "SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = 1 AND name LIKE 'log_%'",
      );
      return (row?.bytes ?? 0) / 1_048_576;
    };
    const before = await megabytes();
    // Room for about 220 of the 500 operations of 10 kB each: two slots of ten minutes.
    const logs = setup.createService({
      environments: { ...UNLIMITED, maxLogBytes: (environmentId) => (environmentId === 1 ? 2.2 * 1_048_576 : null) },
    });

    expect(await logs.removeExpired()).toBe(300);
    expect(await logs.removeExpired()).toBe(0);

    expect((await logs.listOperations({ environmentId: 1 })).total).toBe(201);
    expect((await logs.listOperations({ environmentId: 2 })).total).toBe(500);
    expect((await logs.listOperations({ environmentId: 1, search: 'still running' })).total).toBe(1);
    // The counted size is about the size on the disk.
    expect(before).toBeGreaterThan(9);
    expect(before).toBeLessThan(14);
  });

  it('removes at once what a runaway function writes beyond the limit', { tags: ['slow'] }, async () => {
    const logs = setup.createService({ environments: { ...UNLIMITED, maxLogBytes: () => 10 * 1_048_576 } });
    for (let slot = 0; slot < 5; slot += 1) {
      for (let index = 0; index < 120; index += 1) {
        const operation = logs.start({ environmentId: 1, type: 'proxy', action: 'call', message: 'loud' });
        for (let line = 0; line < 8; line += 1) operation.log({ level: 'warn', message: 'x'.repeat(10_000) });
        operation.finish('success');
        await logs.flush();
      }
      await setup.clock.advance(600_000);
    }

    await waitFor(async () => (await countOf('log_operations')) < 500, { what: 'the removal within the hour' });
    await logs.stop();
  });

  it('does its work in the background from the start on', async () => {
    await addMany(1);
    await setup.clock.advance(16 * DAY_MS);
    const logs = setup.createService();

    await logs.resume();

    await waitFor(async () => (await countOf('log_operations')) === 0, { what: 'the removal' });
    await logs.stop();
  });
});

describe('LogsService, after a crash', () => {
  it('lets an operation wait on whose link is valid still, and cancels one whose link has expired', async () => {
    const { logs, clock } = setup;
    const start = { environmentId: 1, type: 'auth', action: 'create_connection', state: 'waiting' } as const;
    const valid = logs.start({ ...start, expiresAt: clock.now() + 2 * DAY_MS });
    const expired = logs.start({ ...start, expiresAt: clock.now() + 1000 });
    await logs.flush();
    await clock.advance(DAY_MS);
    const next = setup.createService();

    await next.resume();

    const find = (id: string) => next.findOperation(1, id);
    expect(await find(valid.id)).toMatchObject({ state: 'waiting', endedAt: null, error: null });
    expect(await find(expired.id)).toMatchObject({ state: 'cancelled', error: null });
    const again = await next.reopen(1, valid.id);
    again?.finish('success', { message: 'Connected' });
    await next.flush();
    expect(await find(valid.id)).toMatchObject({ state: 'success', message: 'Connected' });
    expect(await next.reopen(1, expired.id)).toBeUndefined();
    await next.stop();
  });

  it('marks failed what was left open, and only that', async () => {
    const { logs, clock } = setup;
    const start = { environmentId: 1, type: 'sync', action: 'run' } as const;
    const running = logs.start(start);
    const waiting = logs.start({ ...start, state: 'waiting' });
    const done = logs.start(start);
    done.finish('success');
    await logs.flush();
    await clock.advance(DAY_MS);
    const next = setup.createService();
    const mine = next.start(start);
    await next.flush();
    const told: string[][] = [];
    setup.events.on('logged', ({ operations }) => told.push(operations.map(({ id, state }) => `${id} ${state}`)));

    await next.resume();

    expect(told.map((one) => one.toSorted())).toEqual([[`${running.id} failed`, `${waiting.id} failed`].toSorted()]);

    const stateOf = async (id: string): Promise<string | undefined> => (await next.findOperation(1, id))?.state;
    expect(await Promise.all([running, waiting, done, mine].map(({ id }) => stateOf(id)))).toEqual([
      'failed',
      'failed',
      'success',
      'running',
    ]);
    expect(await next.findOperation(1, running.id)).toMatchObject({
      durationMs: null,
      endedAt: clock.now(),
      error: { type: 'interrupted', message: expect.stringContaining('stopped before this operation ended') },
    });
    expect((await next.listOperations({ environmentId: 1, search: 'interrupted' })).total).toBe(2);
    await next.stop();
  });
});
