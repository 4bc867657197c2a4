import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { definition, gate, INTEGRATION, owner, type SyncExecution, SyncFixture } from './sync-fixture.ts';

const HOUR = 3_600_000;
const saveOne = async ({ records }: SyncExecution) => {
  await records.save('Contact', [{ id: 'a', json: '{"id":"a"}' }]);
  return { ok: true as const };
};

describe('sync commands', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    hub.definitions = [
      definition({ autoStart: false }),
      definition({ name: 'deals', models: ['Deal'], autoStart: false }),
    ];
    await hub.start();
    await hub.connect(1);
    await hub.connect(2);
  });

  afterEach(() => hub.close());

  const named = (...names: string[]) => names.map((name) => ({ name, variant: 'base' }));
  const ran = () => hub.executions.map(({ sync }) => `${sync.connectionId} ${sync.name}`);

  it('reach the named syncs of one connection, all of it, or the syncs of every connection', async () => {
    await hub.schedules.commands.trigger(hub.select({ syncs: named('deals') }));
    await hub.idle();
    expect(ran()).toEqual(['c-1 deals']);
    await hub.schedules.commands.trigger(hub.select());
    await hub.idle();
    expect(ran().slice(1).sort()).toEqual(['c-1 contacts', 'c-1 deals']);

    const { connectionId: _connectionId, ...everywhere } = hub.select({ syncs: named('contacts') });
    await hub.schedules.commands.trigger(everywhere);
    await hub.idle();

    expect(ran().slice(3).sort()).toEqual(['c-1 contacts', 'c-2 contacts']);
  });

  it('list many states slice by slice, in the order in which the syncs were made', async () => {
    const many = Array.from({ length: 600 }, (_, index) => owner(index + 3));
    const deals = definition({ name: 'deals', models: ['Deal'], autoStart: false });
    await hub.database.transaction((tx) =>
      hub.schedules.creation.functionDeployed(tx, INTEGRATION.id, deals, [owner(1), owner(2), ...many]),
    );
    const { connectionId: _connectionId, ...everywhere } = hub.select({ syncs: named('deals') });
    const reads = vi.spyOn(hub.database.reader, 'all');

    const statuses = await hub.schedules.statuses.list(everywhere);

    expect(statuses.map(({ connectionId }) => connectionId)).toEqual([
      'c-1',
      'c-2',
      ...many.map(({ connectionId }) => connectionId),
    ]);
    const sizes = await Promise.all(reads.mock.results.map(async ({ value }) => ((await value) as unknown[]).length));
    expect(Math.max(...sizes)).toBe(250);
  });

  it('change many connections by few transactions, with turns for other writers between them', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => owner(index + 3));
    const deals = definition({ name: 'deals', models: ['Deal'], autoStart: false });
    await hub.database.transaction((tx) =>
      hub.schedules.creation.functionDeployed(tx, INTEGRATION.id, deals, [owner(1), owner(2), ...many]),
    );
    const { connectionId: _connectionId, ...everywhere } = hub.select({ syncs: named('deals') });
    const states = async () => {
      const rows = await hub.database.reader.all<{ state: string; live: number; count: number }>(
        'SELECT state, live_job_id IS NOT NULL AS live, COUNT(*) AS count FROM schedules GROUP BY 1, 2',
      );
      return rows.map(({ state, live, count }) => `${state} ${live} ${count}`);
    };
    await hub.scheduler.stop(0);
    const transactions = vi.spyOn(hub.database, 'transaction');

    await hub.schedules.commands.start(everywhere);
    expect(transactions).toHaveBeenCalledTimes(3);
    expect(await states()).toEqual(['paused 0 2', 'started 0 1202']);

    await hub.schedules.commands.trigger(everywhere);
    expect(await states()).toEqual(['paused 0 2', 'started 1 1202']);
    await hub.schedules.commands.trigger(everywhere);
    expect(hub.log.messages).toHaveLength(1202);

    await hub.schedules.commands.pause(everywhere);
    expect(await states()).toEqual(['paused 0 1204']);
    expect(transactions).toHaveBeenCalledTimes(12);
    expect(await hub.database.reader.all('SELECT id FROM jobs')).toEqual([]);
  });

  it('stop at the first unknown name, after the ones before it', async () => {
    const command = hub.schedules.commands.trigger(hub.select({ syncs: named('contacts', 'nothing', 'deals') }));

    await expect(command).rejects.toMatchObject({ code: 'no_syncs_found', status: 400 });
    await hub.idle();

    expect(ran()).toEqual(['c-1 contacts']);
    expect(hub.log.ended).toContainEqual(expect.objectContaining({ action: 'request_run', state: 'failed' }));
  });

  it('find nothing when a connection has no syncs, which is allowed, and when an integration has none, which is an error', async () => {
    await hub.schedules.commands.start(hub.select({ connectionId: 'c-9' }));

    const { connectionId: _connectionId, ...everywhere } = hub.select({ syncs: named('nothing') });
    await expect(hub.schedules.commands.start(everywhere)).rejects.toMatchObject({ code: 'no_syncs_found' });
  });

  it('change the frequency of one connection and give it back to the function', async () => {
    const { commands } = hub.schedules;
    await commands.start(hub.select());
    await hub.idle();

    expect(await commands.setFrequency(hub.address(), 'every half hour')).toBe('30m');
    expect(await hub.status()).toMatchObject({ frequency: 'every half hour', nextRunAt: hub.clock.now() + HOUR / 2 });
    await hub.database.transaction((tx) =>
      hub.schedules.creation.functionDeployed(tx, INTEGRATION.id, definition({ frequency: 'every 2 hours' }), [
        owner(1),
        owner(2),
      ]),
    );
    expect((await hub.status()).nextRunAt).toBe(hub.clock.now() + HOUR / 2);
    hub.definitions = [definition({ frequency: 'every 2 hours' })];
    expect(await commands.setFrequency(hub.address(), null)).toBe('every 2 hours');

    expect(await hub.status()).toMatchObject({ frequency: 'every 2 hours', nextRunAt: hub.clock.now() + 2 * HOUR });
    await expect(commands.setFrequency(hub.address(), 'every second')).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(commands.setFrequency(hub.address('base', 'nothing'), '1h')).rejects.toMatchObject({
      code: 'unknown_sync',
    });
  });
});

describe('functions that come and go', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    hub.exec = saveOne;
    await hub.start();
    await hub.connect();
  });

  afterEach(() => hub.close());

  const change = (
    work: (creation: SyncFixture['schedules']['creation']) => Parameters<SyncFixture['database']['transaction']>[0],
  ) => hub.database.transaction(work(hub.schedules.creation));

  it('appear on connections that exist, once', async () => {
    const tasks = definition({ name: 'tasks' });
    hub.definitions = [...hub.definitions, tasks];

    await change((creation) => (tx) => creation.functionDeployed(tx, INTEGRATION.id, tasks, [owner(1), owner(2)]));
    await change((creation) => (tx) => creation.functionDeployed(tx, INTEGRATION.id, tasks, [owner(1), owner(2)]));
    await hub.idle();

    expect(hub.executions.map(({ sync }) => `${sync.connectionId} ${sync.name}`).sort()).toEqual([
      'c-1 contacts',
      'c-1 tasks',
      'c-2 tasks',
    ]);
  });

  it('keep a paused schedule paused when the connection is authorised again', async () => {
    await hub.schedules.commands.pause(hub.select());

    await hub.connect();

    expect((await hub.status()).status).toBe('PAUSED');
    expect(await hub.schedules.statuses.list(hub.select())).toHaveLength(1);
  });

  it('leave deleted records behind when they are removed, and nothing else', async () => {
    await change((creation) => (tx) => creation.functionRemoved(tx, INTEGRATION.id, definition()));
    await hub.advance(2 * HOUR);

    expect(await hub.readAll()).toMatchObject([{ id: 'a', _metadata: { deleted: true } }]);
    expect(await hub.schedules.statuses.list(hub.select())).toEqual([]);
    expect(hub.executions).toHaveLength(1);
  });

  it('rest while they are switched off and continue when they are switched on', async () => {
    await change((creation) => (tx) => creation.functionSuspended(tx, INTEGRATION.id, 'contacts'));
    await hub.advance(HOUR);
    expect(hub.executions).toHaveLength(1);
    await expect(
      hub.schedules.commands.trigger(hub.select({ syncs: [{ name: 'contacts', variant: 'base' }] })),
    ).rejects.toMatchObject({ code: 'no_syncs_found' });

    await change((creation) => (tx) => creation.functionResumed(tx, INTEGRATION.id, definition(), [owner(1)]));
    await hub.idle();

    expect(hub.executions).toHaveLength(2);
    expect(hub.executions[1]?.lastSyncDate).toBeDefined();
    expect(await hub.readAll()).toHaveLength(1);
  });

  it.each(['pause', 'start', 'trigger'] as const)(
    'refuse to %s when they are switched off meanwhile: it would be forgotten',
    async (command) => {
      const reads = vi.spyOn(hub.database.reader, 'all');
      const found = gate();
      const switchedOff = change((creation) => async (tx) => {
        await creation.functionSuspended(tx, INTEGRATION.id, 'contacts');
        await found.promise;
      });
      const refused = expect(hub.schedules.commands[command](hub.select())).rejects.toMatchObject({
        code: 'no_syncs_found',
      });
      await expect.poll(() => reads.mock.results.length).toBeGreaterThan(0);
      expect(await reads.mock.results[0]?.value).toHaveLength(1);
      found.open();
      await switchedOff;

      await refused;
    },
  );

  it('tell a bad interval in the log and fail nothing', async () => {
    hub.definitions = [definition({ name: 'odd', frequency: 'sometimes' })];

    await hub.connect();

    expect(hub.log.ended).toContainEqual(expect.objectContaining({ action: 'init', state: 'failed' }));
    expect(
      (await hub.schedules.statuses.list(hub.select({ syncs: [{ name: 'odd', variant: 'base' }] })))[0]?.status,
    ).toBe('STOPPED');
  });

  it('get their schedule with a better interval', async () => {
    hub.definitions = [definition({ name: 'odd', frequency: 'sometimes' })];
    await hub.connect(1);
    await hub.connect(2);

    await change(
      (creation) => (tx) =>
        creation.functionDeployed(tx, INTEGRATION.id, definition({ name: 'odd' }), [owner(1), owner(2)]),
    );
    await hub.idle();

    expect(
      hub.executions
        .filter(({ sync }) => sync.name === 'odd')
        .map(({ sync }) => sync.connectionId)
        .sort(),
    ).toEqual(['c-1', 'c-2']);
  });
});
