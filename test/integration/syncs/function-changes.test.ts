import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definition, INTEGRATION, owner, type SyncExecution, SyncFixture } from './sync-fixture.ts';

const HOUR = 3_600_000;

const untilAborted = ({ signal }: SyncExecution) =>
  new Promise<{ ok: false; error: { message: string } }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ ok: false, error: { message: 'aborted' } }));
  });

describe('a function that changes', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    await hub.start();
  });

  afterEach(() => hub.close());

  const change = async (
    work: (creation: SyncFixture['schedules']['creation']) => Parameters<SyncFixture['database']['transaction']>[0],
  ) => {
    await hub.database.transaction(work(hub.schedules.creation));
    await hub.idle();
  };
  const disable = () => change((creation) => (tx) => creation.functionSuspended(tx, INTEGRATION.id, 'contacts'));
  const enable = (part: object = {}) =>
    change((creation) => (tx) => creation.functionResumed(tx, INTEGRATION.id, definition(part), [owner()]));
  const variants = () => hub.executions.map(({ sync }) => sync.variant);

  it('switched off, ends its runs and clears its errors', async () => {
    hub.exec = async () => ({ ok: false, error: { message: 'no' } });
    await hub.connect();
    expect(hub.errors.size).toBe(1);
    hub.exec = untilAborted;
    await hub.advance(HOUR);

    await disable();

    expect(hub.executions[1]?.signal.aborted).toBe(true);
    expect(hub.errors.size).toBe(0);
    expect(await hub.schedules.statuses.list(hub.select())).toEqual([]);
  });

  it('switched off, ends a run that was asked for while the schedule was paused', async () => {
    hub.definitions = [definition({ autoStart: false })];
    await hub.connect();
    hub.exec = untilAborted;
    await hub.schedules.commands.trigger(hub.select());
    await hub.idle();

    await disable();

    expect(hub.executions[0]?.signal.aborted).toBe(true);
  });

  it('switched on again, starts the schedules that were started, those of variants too', async () => {
    await hub.connect();
    await hub.schedules.variants.create(hub.address('eu'));
    await hub.idle();
    await hub.schedules.commands.pause({ ...hub.select(), syncs: [{ name: 'contacts', variant: 'eu' }] });
    const before = await Promise.all(['base', 'eu'].map((variant) => hub.status(variant)));

    await disable();
    await hub.advance(HOUR / 2);
    await enable();

    expect(await Promise.all(['base', 'eu'].map((variant) => hub.status(variant)))).toEqual(before);
    await hub.advance(HOUR);
    expect(variants()).toEqual(['base', 'eu', 'base']);
  });

  it('switched on again, starts with autoStart what a program that kept no note of it switched off', async () => {
    await hub.connect();
    await disable();
    await hub.database.transaction((tx) => tx.run('UPDATE syncs SET was_started = NULL'));
    await enable({ autoStart: false });
    expect((await hub.status()).status).toBe('PAUSED');
    await disable();
    await hub.database.transaction((tx) => tx.run('UPDATE syncs SET was_started = NULL'));

    await enable({ autoStart: true });

    expect((await hub.status()).status).toBe('SUCCESS');
  });

  it('switched on again, reaches connections that came meanwhile and has the frequency it got meanwhile', async () => {
    await hub.connect();
    await disable();
    const slower = definition({ frequency: 'every 2 hours' });
    hub.definitions = [];
    await hub.connect(2);
    hub.definitions = [slower];

    await change((creation) => (tx) => creation.functionResumed(tx, INTEGRATION.id, slower, [owner(1), owner(2)]));

    expect(hub.executions.map(({ sync }) => sync.connectionId)).toEqual(['c-1', 'c-2']);
    expect((await hub.status()).nextRunAt).toBe(hub.clock.now() + 2 * HOUR);
  });

  it('enabled again, gets a new schedule when there is none any more', async () => {
    await hub.connect();
    const { id } = await hub.status();
    await disable();
    await hub.database.transaction((tx) => hub.scheduler.schedules.remove(tx, [id]));

    await enable();

    expect((await hub.status()).status).toBe('SUCCESS');
    expect(hub.executions).toHaveLength(2);
  });

  it('removed while it runs, ends its runs, keeps no checkpoint of any kind and no error', async () => {
    hub.exec = async ({ checkpoint }) => {
      await checkpoint.save({ page: 1 });
      return { ok: false, error: { message: 'no' } };
    };
    await hub.connect();
    await hub.schedules.variants.create(hub.address('eu'));
    const { id } = await hub.status();
    await hub.syncs.runWebhook({ syncId: id, input: '{}', operation: hub.log.attach() }, new AbortController().signal);
    await hub.idle();
    expect(await hub.database.reader.all('SELECT key FROM checkpoints ORDER BY key')).toEqual([
      { key: 'sync:contacts:base' },
      { key: 'sync:contacts:eu' },
      { key: 'webhook:contacts:base' },
    ]);
    hub.exec = untilAborted;
    await hub.advance(HOUR);

    await change((creation) => (tx) => creation.functionRemoved(tx, INTEGRATION.id, definition()));

    expect(hub.executions.slice(-2).map(({ signal }) => signal.aborted)).toEqual([true, true]);
    for (const table of ['checkpoints', 'syncs', 'schedules', 'jobs'])
      expect(await hub.database.reader.all(`SELECT 1 FROM ${table}`), table).toEqual([]);
    expect(hub.errors.size).toBe(0);
  });

  it('from full to incremental, takes effect with the next run', async () => {
    await hub.connect();
    expect((await hub.status()).type).toBe('INITIAL');
    hub.definitions = [definition({ type: 'incremental' })];

    await hub.advance(HOUR);

    expect(await hub.database.reader.all('SELECT type FROM sync_jobs ORDER BY id')).toEqual([
      { type: 'FULL' },
      { type: 'INCREMENTAL' },
    ]);
    expect((await hub.status()).type).toBe('INCREMENTAL');
  });
});

describe('the status of a sync', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    hub.definitions = [definition({ models: ['Contact', 'Deal'] })];
    hub.exec = async ({ records }) => {
      await records.save('Contact', [{ id: 'a', json: '{"id":"a"}' }]);
      return { ok: true };
    };
    await hub.start();
  });

  afterEach(() => hub.close());

  const webhook = async () =>
    hub.syncs.runWebhook(
      { syncId: (await hub.status()).id, input: '{}', operation: hub.log.attach() },
      new AbortController().signal,
    );
  const none = { added: 0, updated: 0, deleted: 0 };

  it('belongs to the latest job, also when that is a webhook run, whatever the schedule says', async () => {
    await hub.connect();
    await hub.schedules.commands.pause(hub.select());
    let during: unknown;
    hub.exec = async () => {
      during = await hub.status();
      return { ok: false, error: { message: 'no' } };
    };

    await webhook();

    expect(during).toMatchObject({ status: 'RUNNING', latestRun: { status: 'RUNNING', finishedAt: null } });
    expect(await hub.status()).toMatchObject({ status: 'PAUSED', latestRun: { status: 'STOPPED' } });
    expect(hub.errors.size).toBe(0);
    await hub.schedules.commands.start(hub.select());
    expect(await hub.status()).toMatchObject({
      status: 'ERROR',
      // A webhook run counts as incremental, but the sync does not become incremental.
      type: 'INITIAL',
      latestRun: { result: { Contact: none, Deal: none } },
    });
    expect(await hub.database.reader.all('SELECT type FROM sync_jobs ORDER BY id')).toEqual([
      { type: 'FULL' },
      { type: 'INCREMENTAL' },
    ]);
  });

  it('of a variant counts the records of the base', async () => {
    await hub.connect();
    hub.exec = async () => ({ ok: true });

    await hub.schedules.variants.create(hub.address('eu'));
    await hub.idle();

    expect(await hub.status('eu')).toMatchObject({
      latestRun: { result: { Contact: none, Deal: none } },
      recordCount: { Contact: 1, Deal: 0 },
    });
  });

  it('of an incremental sync is INITIAL until it succeeded once, and again after a reset', async () => {
    hub.definitions = [definition({ type: 'incremental' })];
    const work = hub.exec;
    hub.exec = async () => ({ ok: false, error: { message: 'no' } });
    const typeAfter = async () => {
      await hub.advance(HOUR);
      return (await hub.status()).type;
    };
    await hub.connect();
    hub.exec = work;

    expect(await typeAfter()).toBe('INITIAL');
    expect(await typeAfter()).toBe('INCREMENTAL');
    await hub.schedules.commands.trigger({ ...hub.select(), reset: true });
    await hub.idle();

    expect((await hub.status()).type).toBe('INITIAL');
  });

  it('keeps the start of the last success over failures', async () => {
    await hub.connect();
    const first = hub.clock.now();
    const work = hub.exec;
    hub.exec = async () => ({ ok: false, error: { message: 'no' } });
    await hub.advance(HOUR);
    hub.exec = work;
    await hub.advance(HOUR);

    expect(hub.executions.map(({ lastSyncDate }) => lastSyncDate)).toEqual([undefined, first, first]);
  });

  it('leaves records of other variants alone when a cache is emptied', async () => {
    await hub.connect();
    await hub.schedules.variants.create(hub.address('eu'));
    await hub.idle();
    hub.exec = async () => ({ ok: true });

    const syncs = [{ name: 'contacts', variant: 'eu' }];
    await hub.schedules.commands.trigger({ ...hub.select({ syncs }), reset: true, emptyCache: true });
    await hub.idle();

    const count = async (variant: string) =>
      (await hub.records.list({ connectionRowId: 1, model: 'Contact', variant, limit: 10 })).records.length;
    expect([await count('base'), await count('eu')]).toEqual([1, 0]);
  });
});
