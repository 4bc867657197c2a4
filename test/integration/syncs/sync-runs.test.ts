import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HomeportError } from '../../../server/platform/lib/homeport-error.ts';
import { definition, ENVIRONMENT, gate, INTEGRATION, owner, type SyncExecution, SyncFixture } from './sync-fixture.ts';

const HOUR = 3_600_000;
const contact = (id: string, name = id) => ({ id, json: JSON.stringify({ id, name }) });
const save =
  (...ids: string[]) =>
  async ({ records }: SyncExecution) => {
    await records.save(
      'Contact',
      ids.map((id) => contact(id)),
    );
    return { ok: true as const };
  };
/** Runs until it is aborted, as an isolate does. */
const untilAborted = ({ signal }: SyncExecution) =>
  new Promise<{ ok: false; error: { message: string } }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ ok: false, error: { message: 'aborted' } }));
  });

describe('a sync', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    await hub.start();
  });

  afterEach(() => hub.close());

  it('runs at once when its connection is created, then on the grid of its creation', async () => {
    hub.exec = save('a');

    await hub.connect();
    expect(hub.executions).toHaveLength(1);
    await hub.advance(HOUR - 1);
    expect(hub.executions).toHaveLength(1);
    await hub.advance(1);

    expect(hub.executions).toHaveLength(2);
    expect((await hub.status()).latestRun).toMatchObject({
      status: 'SUCCESS',
      result: { Contact: { added: 0, updated: 0, deleted: 0 } },
    });
  });

  it('waits for a start when it does not start by itself, and runs on a trigger without being started', async () => {
    hub.definitions = [definition({ autoStart: false })];
    await hub.connect();
    expect(hub.executions).toHaveLength(0);
    expect((await hub.status()).status).toBe('PAUSED');

    await hub.schedules.commands.trigger(hub.select());
    await hub.idle();
    expect(hub.executions).toHaveLength(1);
    expect((await hub.status()).status).toBe('PAUSED');
    await hub.schedules.commands.start(hub.select());
    await hub.advance(HOUR);

    expect(hub.executions).toHaveLength(2);
    expect((await hub.status()).status).toBe('SUCCESS');
  });

  it('never overlaps itself; slots that pass during a run are skipped and a trigger is dropped', async () => {
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    await hub.connect();
    expect((await hub.status()).status).toBe('RUNNING');

    await hub.advance(3.5 * HOUR);
    await hub.schedules.commands.trigger(hub.select());
    await hub.idle();
    expect(hub.executions).toHaveLength(1);
    expect(hub.log.messages.at(-1)).toContain('dropped');
    end.open();
    await hub.idle();
    expect(hub.executions).toHaveLength(1);
    await hub.advance(HOUR / 2);

    expect(hub.executions).toHaveLength(2);
  });

  it('stops the old run on a reset and starts one without last sync date and checkpoint', async () => {
    hub.exec = async ({ checkpoint }) => {
      await checkpoint.save({ page: 3 });
      return { ok: true };
    };
    await hub.connect();
    hub.exec = untilAborted;
    await hub.advance(HOUR);
    expect(hub.executions.at(-1)?.lastSyncDate).toBeDefined();
    expect((await hub.status()).checkpoint).toEqual({ page: 3 });
    hub.exec = async () => ({ ok: true });

    await hub.schedules.commands.trigger({ ...hub.select(), reset: true });
    await hub.idle();

    expect(hub.executions).toHaveLength(3);
    expect(hub.executions[1]?.signal.aborted).toBe(true);
    expect(hub.executions[2]?.lastSyncDate).toBeUndefined();
    expect(await hub.executions[2]?.checkpoint.get()).toBeNull();
    expect(hub.log.ended.filter(({ action }) => action === 'run').map(({ state }) => state)).toEqual([
      'success',
      'cancelled',
      'success',
    ]);
    expect(hub.events.filter((event) => !event.success)).toMatchObject([
      { model: '', error: { message: 'The run was cancelled.' } },
    ]);
  });

  it('empties the cache only together with a reset', async () => {
    hub.exec = save('a', 'b');
    await hub.connect();
    const [first] = await hub.readAll();
    hub.exec = save('a');

    await hub.schedules.commands.trigger({ ...hub.select(), emptyCache: true });
    await hub.idle();
    expect(await hub.readAll()).toHaveLength(2);
    await hub.schedules.commands.trigger({ ...hub.select(), reset: true, emptyCache: true });
    await hub.idle();

    expect(await hub.readAll()).toMatchObject([{ id: 'a', _nango_metadata: { last_action: 'ADDED' } }]);
    expect((await hub.readAll())[0]).not.toEqual(first);
    expect((await hub.status()).recordCount).toEqual({ Contact: 1 });
  });

  it('shares its statements with runs that begin and end together; the end of a cancelled one is its own', async () => {
    hub.definitions = [definition({ autoStart: false })];
    for (let id = 1; id <= 3; id += 1) await hub.connect(id);
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    const spy = vi.spyOn(sqlite3.Statement.prototype, 'all');
    const { connectionId: _connectionId, ...everywhere } = hub.select();
    await hub.schedules.commands.trigger(everywhere);
    await hub.idle();
    expect(hub.executions).toHaveLength(3);
    await hub.schedules.commands.cancel(hub.select());
    end.open();
    await hub.idle();
    const run = spy.mock.contexts as unknown as Array<{ sql: string }>;
    spy.mockRestore();

    const count = (start: string) => run.filter(({ sql }) => sql.startsWith(start)).length;
    expect(count('INSERT INTO sync_jobs')).toBe(1);
    expect(count('DELETE FROM jobs WHERE id IN')).toBe(1);
    const statuses = await hub.schedules.statuses.list(everywhere);
    expect(statuses.map(({ latestRun }) => latestRun?.status)).toEqual(['STOPPED', 'SUCCESS', 'SUCCESS']);
  });

  it('is cancelled by a pause and can write nothing from then on', async () => {
    const paused = gate();
    let refused: unknown;
    hub.exec = async ({ records }) => {
      await paused.promise;
      refused = await records.save('Contact', [contact('late')]).catch((error: unknown) => error);
      return { ok: true };
    };
    await hub.connect();

    await hub.schedules.commands.pause(hub.select());
    paused.open();
    await hub.idle();

    expect(refused).toMatchObject({ code: 'script_aborted' });
    expect(await hub.readAll()).toEqual([]);
    expect(await hub.status()).toMatchObject({
      status: 'PAUSED',
      nextRunAt: null,
      latestRun: { status: 'STOPPED', error: null },
    });
  });

  it('is cancelled, not failed, when a refused write ends it before the signal of the cancellation arrives', async () => {
    hub.exec = async ({ records }) => {
      for (;;) {
        const refused = await records.save('Contact', [contact('a')]).catch((error: Error) => error);
        if (refused instanceof Error) return { ok: false, error: { message: refused.message } };
      }
    };
    await hub.connect();

    await hub.schedules.commands.cancel(hub.select());
    await hub.idle();

    expect(hub.log.ended.filter(({ action }) => action === 'run').map(({ state }) => state)).toEqual(['cancelled']);
    expect(hub.errors.size).toBe(0);
  });

  it('marks a failure on the connection, keeps what was saved, and clears the mark at the next success', async () => {
    hub.exec = async ({ records }) => {
      await records.save('Contact', [contact('a')]);
      return { ok: false, error: { message: 'provider is down' } };
    };
    await hub.connect();
    const failed = await hub.status();
    expect(failed).toMatchObject({
      status: 'ERROR',
      latestRun: { error: 'provider is down', result: { Contact: { added: 1 } } },
    });
    expect(hub.errors.size).toBe(1);
    hub.exec = save('a');

    await hub.advance(HOUR);

    expect(hub.errors.size).toBe(0);
    expect(hub.events).toMatchObject([
      { success: false, model: 'Contact', syncType: 'INITIAL', error: { message: 'provider is down' } },
      { success: true, model: 'Contact', syncType: 'INITIAL', responseResults: { added: 0, updated: 0, deleted: 0 } },
    ]);
    expect(hub.executions[1]?.lastSyncDate).toBeUndefined();
  });

  it.each([{ ok: true } as const, { ok: false, error: { message: 'no' } } as const])(
    'stores its end and the mark on the connection together or not at all: %j',
    async (outcome) => {
      hub.exec = async () => outcome;
      hub.isMarkRefused = true;
      await hub.connect();

      expect(hub.errors.size).toBe(0);
      expect((await hub.status()).latestRun).toMatchObject({ status: 'RUNNING', finishedAt: null });
      hub.isMarkRefused = false;
      await hub.advance(HOUR);

      expect(hub.executions[1]?.lastSyncDate).toBeUndefined();
      expect((await hub.status()).latestRun?.status).toBe(outcome.ok ? 'SUCCESS' : 'STOPPED');
      expect(hub.errors.size).toBe(outcome.ok ? 0 : 1);
    },
  );

  it('gives the start of the last successful run to the next one', async () => {
    const startedAt = hub.clock.now();
    hub.exec = async () => {
      await hub.clock.advance(5000);
      return { ok: true };
    };
    await hub.connect();

    await hub.advance(HOUR);

    expect(hub.executions[1]?.lastSyncDate).toBe(startedAt);
    expect(hub.events[0]).toMatchObject({ success: true, modifiedAfter: startedAt });
  });

  it('deletes what a full run with trackDeletes did not save', async () => {
    hub.definitions = [definition({ trackDeletes: true })];
    hub.exec = save('a', 'b');
    await hub.connect();
    hub.exec = save('b');

    await hub.advance(HOUR);

    expect((await hub.status()).latestRun?.result).toEqual({ Contact: { added: 0, updated: 0, deleted: 1 } });
    expect(await hub.readAll()).toMatchObject([{ id: 'b' }, { id: 'a', _metadata: { deleted: true } }]);
    expect(hub.log.messages.at(-1)).toContain('1 records of Contact were not saved');
  });

  it.each(['trackDeletes', 'deleteFromPreviousExecutions'] as const)(
    'spares what a cut off run saved when the next one continues from its checkpoint (%s)',
    async (way) => {
      const end = async ({ checkpoint, records }: SyncExecution) => {
        await checkpoint.clear();
        if (way !== 'trackDeletes') await records.deleteFromPreviousExecutions('Contact');
        return { ok: true as const };
      };
      hub.definitions = [definition({ trackDeletes: way === 'trackDeletes' })];
      hub.exec = save('a', 'b', 'gone');
      await hub.connect();
      hub.exec = async (execution) => {
        await save('a')(execution);
        await execution.checkpoint.save({ page: 1 });
        return untilAborted(execution);
      };
      await hub.advance(HOUR);
      await hub.crashAndReopen();
      const seen: unknown[] = [];
      hub.exec = async (execution) => {
        seen.push(await execution.checkpoint.get());
        await save('b')(execution);
        return end(execution);
      };
      await hub.start();
      await hub.idle();

      expect(seen).toEqual([{ page: 1 }]);
      const deleted = async () =>
        (await hub.readAll()).flatMap((row) =>
          (row['_metadata'] as { deleted?: boolean } | undefined)?.deleted === true ? [row['id']] : [],
        );
      expect(await deleted()).toEqual(['gone']);

      // The next run begins anew, so only what it saves itself stays.
      hub.exec = async (execution) => {
        await execution.checkpoint.get();
        await save('b')(execution);
        return end(execution);
      };
      await hub.advance(HOUR);
      expect((await deleted()).sort()).toEqual(['a', 'gone']);
    },
  );

  it('continues from the checkpoint of a failed run, in the window that it opened, and from neither after a reset', async () => {
    hub.exec = save('old');
    await hub.connect();
    hub.exec = async ({ checkpoint, records }) => {
      await records.trackDeletesStart('Contact');
      await records.save('Contact', [contact('first')]);
      await checkpoint.save({ page: 1 });
      return { ok: false, error: { message: 'provider is down' } };
    };
    await hub.advance(HOUR);
    const seen: unknown[] = [];
    hub.exec = async ({ checkpoint, records }) => {
      seen.push(await checkpoint.get());
      seen.push(await records.trackDeletesEnd('Contact').catch((error: Error) => error.message));
      return { ok: false, error: { message: 'again' } };
    };
    await hub.advance(HOUR);
    expect(seen).toEqual([{ page: 1 }, { deletedKeys: ['old'] }]);
    hub.exec = async ({ records }) => {
      await records.trackDeletesStart('Contact');
      return { ok: false, error: { message: 'again' } };
    };
    await hub.advance(HOUR);
    hub.exec = async ({ checkpoint, records }) => {
      seen.push(await checkpoint.get());
      seen.push(await records.trackDeletesEnd('Contact').catch((error: Error) => error.message));
      return { ok: true };
    };

    await hub.schedules.commands.trigger({ ...hub.select(), reset: true });
    await hub.idle();

    expect(seen.slice(2)).toEqual([null, expect.stringContaining('needs trackDeletesStart')]);
  });

  it('takes one catch-up run after the program was closed for several slots', async () => {
    hub.exec = save('a');
    await hub.connect();
    await hub.scheduler.stop();
    await hub.clock.advance(3.5 * HOUR);
    await hub.crashAndReopen();

    await hub.start();
    expect(hub.executions).toHaveLength(2);
    await hub.advance(HOUR / 2);

    expect(hub.executions).toHaveLength(3);
  });

  it('counts a run that a crash cut off as stopped and begins it again at the next start', async () => {
    hub.exec = untilAborted;
    await hub.connect();
    expect((await hub.status()).status).toBe('RUNNING');
    await hub.crashAndReopen();
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };

    await hub.start();
    expect(await hub.database.reader.all('SELECT status FROM sync_jobs ORDER BY id')).toEqual([
      { status: 'STOPPED' },
      { status: 'RUNNING' },
    ]);
    end.open();
    await hub.idle();
    expect(await hub.status()).toMatchObject({ status: 'SUCCESS', nextRunAt: hub.clock.now() + HOUR });

    expect(hub.executions).toHaveLength(2);
  });

  it('does not empty the cache a second time when a crash cut its run off', async () => {
    await hub.connect();
    hub.exec = async (execution) => {
      await save('before')(execution);
      return untilAborted(execution);
    };
    await hub.schedules.commands.trigger({ ...hub.select(), reset: true, emptyCache: true });
    await hub.idle();
    expect(hub.executions.at(-1)?.emptyCache).toBe(true);
    await hub.crashAndReopen();
    hub.exec = save('after');

    await hub.start();

    expect((await hub.readAll()).map(({ id }) => id)).toEqual(['before', 'after']);
  });

  it('says nothing to consumers about a run that a shutdown cut off', async () => {
    hub.exec = untilAborted;
    await hub.connect();

    await hub.stopScheduler();

    expect(hub.events).toEqual([]);
    expect(hub.errors.size).toBe(0);
    expect(await hub.database.reader.all('SELECT state FROM jobs')).toEqual([{ state: 'created' }]);
  });

  it('begins a run again that failed because the vault was locked, and says nothing to consumers', async () => {
    const locked = new HomeportError('vault_locked', 'The vault is locked.');
    hub.exec = async (execution) => {
      await save('before')(execution);
      await hub.scheduler.hold();
      hub.assertUnlocked = () => {
        throw locked;
      };
      return { ok: false, error: { message: 'no secret' } };
    };
    await hub.connect();
    expect(hub.events).toEqual([]);
    expect(hub.errors.size).toBe(0);
    expect((await hub.status()).latestRun).toMatchObject({ status: 'STOPPED' });

    hub.assertUnlocked = () => {};
    hub.exec = save('before', 'after');
    hub.scheduler.release();
    await hub.idle();

    expect(hub.executions).toHaveLength(2);
    expect((await hub.status()).latestRun).toMatchObject({ status: 'SUCCESS' });
    expect((await hub.readAll()).map(({ id }) => id)).toEqual(['before', 'after']);
  });

  it('tells consumers of a run that could not start in time, without a model', async () => {
    await hub.connect();
    const [sync] = await hub.database.reader.all<{ id: string }>('SELECT id FROM syncs');
    hub.events.length = 0;

    await hub.syncs.reportUnfinished(sync?.id ?? '', 'expired');

    expect(hub.events).toEqual([
      {
        environmentId: ENVIRONMENT,
        connectionId: 'c-1',
        providerConfigKey: INTEGRATION.key,
        providerName: 'crm',
        syncName: 'contacts',
        syncVariant: 'base',
        syncType: 'INCREMENTAL',
        success: false,
        model: '',
        error: { message: 'The run could not be started within an hour.' },
        startedAt: hub.clock.now(),
        failedAt: hub.clock.now(),
      },
    ]);
  });

  it('keeps a deletion window open over a crash', async () => {
    hub.exec = save('old', 'kept');
    await hub.connect();
    hub.exec = async ({ records, signal }) => {
      await records.trackDeletesStart('Contact');
      await records.save('Contact', [contact('first')]);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return { ok: true };
    };
    await hub.advance(HOUR);
    await hub.crashAndReopen();
    hub.exec = async ({ records }) => {
      await records.trackDeletesStart('Contact');
      await records.save('Contact', [contact('second'), contact('kept')]);
      const { deletedKeys } = await records.trackDeletesEnd('Contact');
      expect(deletedKeys).toEqual(['old']);
      return { ok: true };
    };

    await hub.start();

    expect((await hub.status()).latestRun).toMatchObject({ status: 'SUCCESS', result: { Contact: { deleted: 1 } } });
  });

  it('runs webhook handlers as jobs of the sync, with a checkpoint of their own and no last sync date', async () => {
    hub.exec = async ({ checkpoint }) => {
      await checkpoint.save({ at: 1 });
      return { ok: true };
    };
    await hub.connect();
    hub.exec = async ({ records, checkpoint, input, lastSyncDate }) => {
      expect([input, lastSyncDate, await checkpoint.get()]).toEqual(['{"n":1}', undefined, null]);
      await records.save('Contact', [contact('w')]);
      return { ok: true };
    };
    const { id } = await hub.status();

    const ok = await hub.syncs.runWebhook(
      { syncId: id, input: '{"n":1}', operation: hub.log.attach() },
      new AbortController().signal,
    );

    expect(ok).toBe(true);
    expect(hub.events.at(-1)).toMatchObject({ syncType: 'WEBHOOK', responseResults: { added: 1 } });
    expect((await hub.status()).latestRun?.result).toEqual({ Contact: { added: 1, updated: 0, deleted: 0 } });
  });

  it('ends a run whose connection is removed, with everything it kept', async () => {
    hub.exec = save('a');
    await hub.connect();
    hub.exec = untilAborted;
    await hub.advance(HOUR);

    await hub.database.transaction((tx) => hub.schedules.creation.removeConnections(tx, [owner().connectionRowId]));
    await hub.idle();

    expect(hub.executions[1]?.signal.aborted).toBe(true);
    expect(await hub.readAll()).toEqual([]);
    for (const table of ['syncs', 'schedules', 'records', 'record_payloads', 'record_streams', 'jobs']) {
      expect(await hub.database.reader.all(`SELECT 1 FROM ${table}`), table).toEqual([]);
    }
  });

  it('has expired when its process was lost', async () => {
    hub.exec = async () => ({ ok: false, error: { message: 'lost' }, isLost: true });

    await hub.connect();

    expect(await hub.status()).toMatchObject({ status: 'ERROR', latestRun: { status: 'STOPPED' } });
    expect(hub.log.ended.at(-1)).toMatchObject({ action: 'run', state: 'timeout' });
    expect(hub.events).toMatchObject([{ success: false, model: '' }]);
    expect(hub.errors.size).toBe(1);
  });

  it('is ended by its time limit', async () => {
    hub.exec = untilAborted;
    await hub.connect();

    // The limit is looked at once a second.
    await hub.advance(24 * HOUR + 2_000);

    expect(hub.log.ended.at(-1)).toEqual({
      action: 'run',
      state: 'timeout',
      message: 'The run exceeded its time limit.',
    });
    expect(hub.errors.size).toBe(1);
  });
});
