import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FinalState, OperationStart } from '../../../server/log/operation.ts';
import { OperationCountsStore, roundDuration } from '../../../server/log/operation-counts.store.ts';
import { RecordCountsStore } from '../../../server/records/record-counts.store.ts';
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
  it('count proxied requests and runs by hour, once each, with any writes in between', async () => {
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
    expect(await setup.logs.listRunSummaries(1, setup.clock.now() - 90 * DAY)).toMatchObject([{ runs: 1, maxMs: 40 }]);
    expect(await setup.logs.listRunSummaries(1)).toEqual([]);
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
        p50Ms: 100,
        p95Ms: 100,
        maxMs: 4_400,
      },
      {
        type: 'action',
        integrationKey: 'github',
        functionName: 'other',
        runs: 1,
        succeeded: 0,
        p50Ms: null,
        p95Ms: null,
        maxMs: null,
      },
    ]);
  });

  it('tell runs of the last hour from those before, by the quarter of an hour', async () => {
    await record(RUN, 'success', 2_000);
    await setup.clock.advance(2 * HOUR);
    await record(RUN, 'success', 30);
    await setup.logs.flush();

    const since = (periodMs: number) => setup.logs.listRunSummaries(1, setup.clock.now() - periodMs);
    expect(await since(HOUR)).toMatchObject([{ runs: 1, maxMs: 30 }]);
    expect(await since(DAY)).toMatchObject([{ runs: 2, p50Ms: 30, maxMs: 2_000 }]);
  });

  it('add up the records that runs changed, when they end', async () => {
    const sync = setup.logs.start({ ...RUN, type: 'sync', action: 'run' });
    const change = (persistResults: Record<string, number>): void =>
      sync.log({ level: 'info', message: 'Records', persistResults });
    change({ added: 3, updated: 2, unchanged: 9 });
    change({ added: 1, deleted: 4 });
    const read = async (environmentId: number) => {
      await setup.logs.flush();
      const to = setup.clock.now();
      const store = new RecordCountsStore();
      return store.list(setup.database.reader, { environmentId, from: to - HOUR, to }, { sizeMs: HOUR, offsetMs: 0 });
    };
    expect(await read(1)).toEqual([]);
    sync.finish('failed');

    expect(await read(1)).toEqual([{ bucket: expect.any(Number), added: 4, updated: 2, deleted: 4 }]);
    expect(await read(2)).toEqual([]);
    expect(await setup.logs.findOperation(1, sync.id)).toMatchObject({
      ...{ recordsChanged: 10, recordsAdded: 4, recordsUpdated: 2, recordsDeleted: 4 },
    });
    await setup.clock.advance(92 * DAY);
    await setup.logs.removeExpired();
    expect(await setup.database.reader.all('SELECT * FROM record_counts')).toEqual([]);
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

  it('round durations by at most 5 %', () => {
    for (let exact = 1; exact < 2_000_000; exact = Math.ceil(exact * 1.013)) {
      const rounded = roundDuration(exact);
      expect(Math.abs(rounded - exact) / exact).toBeLessThanOrEqual(0.05);
      expect(Number.isInteger(rounded)).toBe(true);
    }
  });
});
