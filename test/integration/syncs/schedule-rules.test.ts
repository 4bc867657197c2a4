import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definition, gate, INTEGRATION, owner, type SyncExecution, SyncFixture } from './sync-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Runs until it is aborted, as an isolate does. */
const untilAborted = ({ signal }: SyncExecution) =>
  new Promise<{ ok: false; error: { message: string } }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ ok: false, error: { message: 'aborted' } }));
  });

describe('the schedule of a sync', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    await hub.start();
  });

  afterEach(() => hub.close());

  const trigger = (part: object = {}) =>
    hub.schedules.commands.trigger({ ...hub.select(), ...part }).then(() => hub.idle());
  const jobs = () => hub.database.reader.all('SELECT state FROM jobs');

  it('keeps its grid over manual runs, during which it shows the next slot', async () => {
    const createdAt = hub.clock.now();
    await hub.connect();
    await hub.advance(20 * MINUTE);
    hub.exec = untilAborted;

    await trigger();
    expect(await hub.status()).toMatchObject({ status: 'RUNNING', nextRunAt: createdAt + HOUR });
    await hub.schedules.commands.cancel(hub.select());
    await hub.idle();
    expect(await hub.status()).toMatchObject({ status: 'ERROR', nextRunAt: createdAt + HOUR });
    await hub.advance(40 * MINUTE);

    expect(hub.executions).toHaveLength(3);
    expect(await hub.status()).toMatchObject({ status: 'RUNNING', nextRunAt: createdAt + HOUR });
  });

  it('waits for its next slot after a failure: no back-off, no retry', async () => {
    hub.exec = async () => ({ ok: false, error: { message: 'no' } });
    await hub.connect();

    await hub.advance(HOUR - 1);
    expect(hub.executions).toHaveLength(1);
    await hub.advance(1);
    expect(hub.executions).toHaveLength(2);
    await hub.advance(HOUR);

    expect(hub.executions).toHaveLength(3);
  });

  it('started after a pause, runs at its next slot, or at once when a slot has passed', async () => {
    const { commands } = hub.schedules;
    await hub.connect();
    await hub.advance(20 * MINUTE);
    await commands.pause(hub.select());
    await commands.start(hub.select());
    await hub.idle();
    expect(hub.executions).toHaveLength(1);
    await hub.advance(40 * MINUTE);
    expect(hub.executions).toHaveLength(2);

    await commands.pause(hub.select());
    await hub.advance(2.5 * HOUR);
    expect(hub.executions).toHaveLength(2);
    await commands.start(hub.select());
    await hub.idle();
    expect(hub.executions).toHaveLength(3);
    await hub.advance(HOUR / 2);

    expect(hub.executions).toHaveLength(4);
  });

  it('does nothing when it is already in the state that is asked for', async () => {
    const { commands } = hub.schedules;
    await hub.connect();

    await commands.start(hub.select());
    await hub.idle();
    expect(hub.executions).toHaveLength(1);
    await commands.pause(hub.select());
    await commands.pause(hub.select());

    expect((await hub.status()).status).toBe('PAUSED');
    expect(hub.log.ended.filter(({ action }) => action !== 'run')).toMatchObject([
      { action: 'unpause', state: 'success' },
      { action: 'pause', state: 'success' },
      { action: 'pause', state: 'success' },
    ]);
  });

  it.each(['pause', 'start'] as const)('a %s that changes nothing leaves a run alone', async (command) => {
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    hub.definitions = [definition({ autoStart: command === 'start' })];
    await hub.connect();
    await trigger();

    await hub.schedules.commands[command](hub.select());
    await hub.idle();
    expect(await hub.status()).toMatchObject({ status: 'RUNNING' });
    end.open();
    await hub.idle();

    expect(hub.executions).toHaveLength(1);
    expect(await hub.status()).toMatchObject({ latestRun: { status: 'SUCCESS' } });
  });

  it('a queued run vanishes with a pause', async () => {
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    // Two runs of one connection at a time: the third waits.
    hub.definitions = ['contacts', 'deals', 'tasks'].map((name) => definition({ name, autoStart: false }));
    await hub.connect();
    const contacts = hub.select({ syncs: [{ name: 'contacts', variant: 'base' }] });
    for (const name of ['deals', 'tasks']) await trigger({ syncs: [{ name, variant: 'base' }] });
    await hub.schedules.commands.start(contacts);
    await trigger(contacts);
    expect(await jobs()).toEqual([{ state: 'started' }, { state: 'started' }, { state: 'created' }]);

    await hub.schedules.commands.pause(contacts);
    end.open();
    await hub.idle();

    expect(hub.executions.map(({ sync }) => sync.name)).toEqual(['deals', 'tasks']);
    expect(await jobs()).toEqual([]);
    await trigger();
    expect(hub.executions.map(({ sync }) => sync.name)).toContain('contacts');
  });

  it('a reset takes the place of a queued run; a trigger is dropped', async () => {
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    hub.definitions = ['contacts', 'deals', 'tasks'].map((name) => definition({ name, autoStart: false }));
    await hub.connect();
    for (const name of ['deals', 'tasks', 'contacts']) await trigger({ syncs: [{ name, variant: 'base' }] });
    const syncs = [{ name: 'contacts', variant: 'base' }];

    await trigger({ syncs });
    await trigger({ syncs, reset: true, emptyCache: true });
    end.open();
    await hub.idle();

    const ran = hub.executions.filter(({ sync }) => sync.name === 'contacts');
    expect(ran.map(({ emptyCache }) => emptyCache)).toEqual([true]);
  });

  it('gives up a run that found no slot for an hour, reports it, and continues at the next scheduled time', async () => {
    hub.definitions = ['contacts', 'deals', 'tasks'].map((name) => definition({ name, autoStart: false }));
    const end = gate();
    hub.exec = async () => {
      await end.promise;
      return { ok: true };
    };
    await hub.connect();
    for (const name of ['deals', 'tasks', 'contacts']) await trigger({ syncs: [{ name, variant: 'base' }] });

    await hub.advance(HOUR - 1);
    expect(await jobs()).toHaveLength(3);
    await hub.advance(1);

    expect(await jobs()).toHaveLength(2);
    expect(hub.events).toMatchObject([
      { syncName: 'contacts', model: '', error: { message: 'The run could not be started within an hour.' } },
    ]);
    expect(hub.errors.size).toBe(1);
    expect(hub.log.ended.filter(({ action }) => action === 'run')).toMatchObject([{ state: 'timeout' }]);
    // No run started, so it has no job.
    expect(await hub.status()).toMatchObject({ status: 'PAUSED', latestRun: null });
    end.open();
    await hub.idle();
    await trigger({ syncs: [{ name: 'contacts', variant: 'base' }] });
    expect(hub.errors.size).toBe(0);
  });

  it('a new frequency moves the next slot on the same grid and leaves a running run alone', async () => {
    const createdAt = hub.clock.now();
    const { commands } = hub.schedules;
    await hub.connect();
    await hub.advance(50 * MINUTE);

    await commands.setFrequency(hub.address(), 'every 20 minutes');
    expect((await hub.status()).nextRunAt).toBe(createdAt + HOUR);
    hub.exec = untilAborted;
    await hub.advance(10 * MINUTE);
    await commands.setFrequency(hub.address(), 'every 45 minutes');
    await hub.idle();
    expect(hub.executions[1]?.signal.aborted).toBe(false);
    await commands.cancel(hub.select());
    await hub.idle();

    expect((await hub.status()).nextRunAt).toBe(createdAt + 90 * MINUTE);
  });

  it('takes intervals without a bound, as far as a calendar goes', async () => {
    await hub.connect();

    expect(await hub.schedules.commands.setFrequency(hub.address(), 'every 99999999999999 days')).toBe(
      '99999999999999 days',
    );
    await trigger();

    const { nextRunAt } = await hub.status();
    expect(new Date(nextRunAt ?? 0).toISOString()).toMatch(/^\+?\d+-/);
  });

  it('runs variants on schedules of their own', async () => {
    await hub.connect();
    await hub.advance(20 * MINUTE);
    await hub.schedules.variants.create(hub.address('eu'));
    await hub.idle();
    const eu = hub.select({ syncs: [{ name: 'contacts', variant: 'eu' }] });
    await hub.schedules.commands.setFrequency(hub.address('eu'), 'every 30 minutes');
    expect((await hub.status()).frequency).toBe('every hour');
    await hub.advance(30 * MINUTE);
    expect(hub.executions.map(({ sync }) => sync.variant)).toEqual(['base', 'eu', 'eu']);

    await hub.schedules.commands.pause(eu);
    await hub.advance(HOUR);

    expect(hub.executions.map(({ sync }) => sync.variant)).toEqual(['base', 'eu', 'eu', 'base']);
    expect((await hub.status('eu')).status).toBe('PAUSED');
    expect(hub.executions.find(({ sync }) => sync.variant === 'eu')?.lastSyncDate).toBeUndefined();
  });

  it('of a variant that comes later than its sync starts by the sync’s autoStart', async () => {
    hub.definitions = [definition({ autoStart: false })];
    await hub.connect();

    await hub.schedules.variants.create(hub.address('eu'));
    await hub.idle();

    expect((await hub.status('eu')).status).toBe('PAUSED');
    expect(hub.executions).toEqual([]);
  });

  it('of every variant follows a new frequency of the function, unless it has its own', async () => {
    await hub.connect();
    for (const variant of ['eu', 'us']) await hub.schedules.variants.create(hub.address(variant));
    await hub.idle();
    await hub.schedules.commands.setFrequency(hub.address('us'), 'every 3 hours');
    const faster = definition({ frequency: 'every 30 minutes' });
    hub.definitions = [faster];

    await hub.database.transaction((tx) =>
      hub.schedules.creation.functionDeployed(tx, INTEGRATION.id, faster, [owner()]),
    );

    const next = async (variant: string) => ((await hub.status(variant)).nextRunAt ?? 0) - hub.clock.now();
    expect([await next('base'), await next('eu'), await next('us')]).toEqual([HOUR / 2, HOUR / 2, 3 * HOUR]);
  });

  it('removes runs after 31 days, except the latest of each sync', async () => {
    await hub.connect();
    await trigger();
    await hub.schedules.commands.pause(hub.select());
    await hub.advance(HOUR);
    await trigger();
    // Otherwise these weeks would consist of its check of the clock every second.
    await hub.stopScheduler();
    const ids = async () =>
      (await hub.database.reader.all<{ id: number }>('SELECT id FROM sync_jobs ORDER BY id')).map(({ id }) => id);
    expect(await ids()).toEqual([1, 2, 3]);

    await hub.advance(31 * DAY - 2 * HOUR);
    expect(await ids()).toEqual([1, 2, 3]);
    await hub.advance(3 * HOUR);
    expect(await ids()).toEqual([3]);
    await hub.advance(31 * DAY);

    expect(await ids()).toEqual([3]);
    expect((await hub.status()).latestRun).toMatchObject({ status: 'SUCCESS' });
  });
});
