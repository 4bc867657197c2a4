import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operationCounts } from '../../../server/database/migrations/0040-operation-counts.ts';
import { proxyCounts } from '../../../server/database/migrations/0042-proxy-counts.ts';
import type { FinalState, OperationStart } from '../../../server/services/logs/operation.ts';
import { OperationCountsStore, roundDuration } from '../../../server/stores/operation-counts-store.ts';
import { type LogsSetup, setUpLogs } from './logs-setup.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RUN: OperationStart = {
  environmentId: 1,
  type: 'action',
  action: 'run',
  integrationKey: 'github',
  functionName: 'create-issue',
  message: 'Action',
};
const PROXY: OperationStart = {
  environmentId: 1,
  type: 'proxy',
  action: 'call',
  integrationKey: 'github',
  message: 'Call',
};

let setup: LogsSetup;
beforeEach(async () => {
  setup = await setUpLogs();
});
afterEach(() => setup.close());

async function record(start: OperationStart, state: FinalState, durationMs = 0): Promise<void> {
  const operation = setup.logs.start(start);
  await setup.clock.advance(durationMs);
  operation.finish(state);
}

const totals = (hours: Array<{ calls: number; failed: number }> | undefined) => ({
  calls: hours?.reduce((sum, { calls }) => sum + calls, 0),
  failed: hours?.reduce((sum, { failed }) => sum + failed, 0),
  last: hours?.at(-1),
  length: hours?.length,
});

describe('counts beside the log', () => {
  it('count proxied requests and runs by hour, once each, whatever was written between', async () => {
    const long = setup.logs.start(RUN);
    await setup.logs.flush();
    long.log({ level: 'info', type: 'http', message: 'GET /' });
    await setup.logs.flush();
    long.finish('failed');
    await setup.logs.flush();
    await record(PROXY, 'success');
    await record({ ...RUN, type: 'auth', action: 'refresh_token' } as OperationStart, 'success');
    await record({ ...PROXY, integrationKey: 'slack' }, 'cancelled');
    await setup.logs.flush();

    const hours = await setup.logs.listCallHours(1);

    expect(totals(hours.get('github'))).toEqual({ calls: 2, failed: 1, last: { calls: 2, failed: 1 }, length: 24 });
    expect(hours.has('slack')).toBe(false);
    expect(await setup.logs.listCallHours(2)).toEqual(new Map());
  });

  it('leave out what began more than 24 hours ago, and are removed once no screen shows them', async () => {
    await record(RUN, 'success', 40);
    await setup.clock.advance(DAY);
    await setup.logs.flush();

    expect((await setup.logs.listCallHours(1)).get('github')).toBeUndefined();
    expect(await setup.logs.listRunSummaries(1)).toMatchObject([{ runs: 1, succeeded: 1, p95Ms: 40 }]);

    await record(PROXY, 'success');
    await setup.logs.flush();
    await setup.clock.advance(9 * DAY);
    await setup.logs.removeExpired();
    const slots = (): Promise<unknown[]> =>
      setup.database.reader.all('SELECT slot_ms AS slotMs, calls FROM proxy_counts');
    expect(await slots()).toEqual([{ slotMs: 900_000, calls: 1 }]);

    await setup.clock.advance(83 * DAY);
    await setup.logs.removeExpired();
    expect(await slots()).toEqual([]);
    const rows = await setup.database.reader.all<{ count: number }>(
      'SELECT (SELECT count(*) FROM call_counts) + (SELECT count(*) FROM run_counts) AS count',
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('give the share that succeeded and the duration of all but one in twenty', async () => {
    for (let index = 0; index < 19; index += 1) await record(RUN, 'success', 100);
    await record(RUN, 'success', 4321);
    await record(RUN, 'failed', 60_000);
    await record(RUN, 'timeout', 60_000);
    await record({ ...RUN, functionName: 'other' }, 'failed', 5);
    await setup.logs.flush();

    expect(await setup.logs.listRunSummaries(1)).toEqual([
      {
        type: 'action',
        integrationKey: 'github',
        functionName: 'create-issue',
        runs: 22,
        succeeded: 20,
        p95Ms: 100,
      },
      { type: 'action', integrationKey: 'github', functionName: 'other', runs: 1, succeeded: 0, p95Ms: null },
    ]);
  });

  it('count a run that a crash cut off as failed', async () => {
    setup.logs.start(RUN);
    await setup.logs.flush();
    await setup.clock.advance(HOUR);
    const restarted = setup.createService();

    await restarted.resume();

    expect(totals((await restarted.listCallHours(1)).get('github'))).toMatchObject({ calls: 1, failed: 1 });
    await restarted.stop();
  });

  it('do not stop the log where an environment is gone', async () => {
    await setup.database.transaction((tx) =>
      new OperationCountsStore().add(tx, [
        {
          environmentId: 99,
          type: 'proxy',
          action: 'call',
          state: 'success',
          integrationKey: 'github',
          functionName: null,
          createdAt: setup.clock.now(),
          durationMs: 3,
        },
      ]),
    );

    expect(await setup.logs.listCallHours(99)).toEqual(new Map());
  });

  it('are made by the migration for what the log holds already', async () => {
    for (const ms of [3, 57, 940, 43_210]) await record(RUN, 'success', ms);
    await record(RUN, 'failed', 12);
    await record(PROXY, 'timeout');
    setup.logs.start(PROXY).finish('failed', { meta: { status: 503 } });
    setup.logs.start(PROXY).finish('success', { meta: { status: 204 } });
    await setup.logs.flush();
    const read = async () => ({
      calls: await setup.database.reader.all('SELECT * FROM call_counts'),
      runs: await setup.database.reader.all('SELECT * FROM run_counts'),
      requests: await setup.database.reader.all('SELECT * FROM proxy_counts'),
    });
    const counted = await read();

    await setup.database.transaction(async (tx) => {
      await tx.run('DELETE FROM call_counts');
      await tx.run('DELETE FROM run_counts');
      await tx.run('DELETE FROM proxy_counts');
      const statements = [...operationCounts.statements, ...proxyCounts.statements];
      for (const statement of statements.filter((one) => one.startsWith('INSERT'))) await tx.run(statement);
    });

    expect(counted.runs).toHaveLength(5);
    // By the minute and by the quarter of an hour: without an answer, 5xx and 2xx.
    expect(counted.requests).toHaveLength(6);
    expect(await read()).toEqual(counted);
  });

  it('round durations by at most 5 %', () => {
    for (let exact = 1; exact < 2_000_000; exact = Math.ceil(exact * 1.013)) {
      const rounded = roundDuration(exact);
      expect(Math.abs(rounded - exact) / exact).toBeLessThanOrEqual(0.05);
      expect(Number.isInteger(rounded)).toBe(true);
    }
  });
});
