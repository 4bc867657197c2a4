// @module-tag slow
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { seededRandom } from '../crashes/changing-records.ts';
import { definition, SyncFixture } from './sync-fixture.ts';

const MINUTE = 60_000;
const STEPS = 250;

describe('two syncs of one connection under random commands and clocks', () => {
  let hub: SyncFixture;

  beforeEach(async () => {
    hub = await SyncFixture.open();
    hub.definitions = [definition(), definition({ name: 'deals', models: ['Deal'], frequency: 'every 7 minutes' })];
  });

  afterEach(() => hub.close());

  const seeds = [1, 2, 3, 4].map((seed) => [`${seed}`, seed] as const);
  nightlyEach(seeds, 2)('never run twice at the same time and are whole in the end (choices %s)', async (seed) => {
    const random = seededRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * most);
    /** Runs in progress, by sync. */
    const alive = new Map<string, number>();
    let most = 0;
    let began = 0;
    hub.exec = async ({ sync, signal, records }) => {
      began += 1;
      alive.set(sync.id, (alive.get(sync.id) ?? 0) + 1);
      most = Math.max(most, ...alive.values());
      // Some end by themselves, some run until they are stopped; both take a while.
      const endsAt = random() < 0.6 ? hub.clock.now() + upTo(30) * MINUTE : Number.POSITIVE_INFINITY;
      while (!signal.aborted && hub.clock.now() < endsAt) await new Promise((resolve) => setImmediate(resolve));
      for (let turn = upTo(20); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      const [model = ''] = hub.definitions.find(({ name }) => name === sync.name)?.models ?? [];
      await records.save(model, [{ id: `${began}`, json: `{"id":"${began}"}` }]).catch(() => {
        // After it was stopped it must not write.
      });
      alive.set(sync.id, (alive.get(sync.id) ?? 0) - 1);
      return random() < 0.8 ? { ok: true } : { ok: false, error: { message: 'no' } };
    };
    await hub.start();
    await hub.connect();

    const commands = () => hub.schedules.commands;
    const one = () => hub.select({ syncs: [{ name: random() < 0.5 ? 'contacts' : 'deals', variant: 'base' }] });
    const steps: Array<() => Promise<unknown>> = [
      () => commands().trigger(one()),
      () => commands().trigger({ ...one(), reset: true }),
      () => commands().trigger({ ...one(), reset: true, emptyCache: true }),
      () => commands().pause(one()),
      () => commands().start(one()),
      () => commands().start(one()),
      () => commands().cancel(one()),
      () => hub.clock.advance(upTo(20) * MINUTE),
      () => hub.idle(),
    ];
    for (let step = 0; step < STEPS; step++) {
      const chosen = steps[upTo(steps.length)];
      // Some commands arrive together.
      if (random() < 0.3) await Promise.all([chosen?.(), commands().trigger(one()), commands().cancel(one())]);
      else await chosen?.();
    }
    await commands().pause(hub.select());
    // A pause does not affect what was requested while the schedule was paused.
    await commands().cancel(hub.select());
    const { reader } = hub.database;
    await waitFor(async () => (await reader.all('SELECT 1 FROM jobs')).length === 0, {
      what: 'the end of every run',
    });
    await hub.idle();

    expect(began).toBeGreaterThan(STEPS / 10);
    expect(most).toBe(1);
    expect(await reader.all("SELECT status FROM sync_jobs WHERE status = 'RUNNING'")).toEqual([]);
    expect(await reader.all('SELECT id FROM schedules WHERE live_job_id IS NOT NULL')).toEqual([]);
    const [counts] = await reader.all<{ believed: number; there: number }>(
      `SELECT (SELECT COALESCE(SUM(live_count), 0) FROM record_streams WHERE retired = 0) AS believed,
         (SELECT COUNT(*) FROM records JOIN record_streams s ON s.id = stream_id WHERE s.retired = 0) AS there`,
    );
    expect(counts?.believed).toBe(counts?.there);
    // The schedules continue afterwards.
    const before = began;
    hub.exec = async () => ({ ok: true });
    await commands().start(hub.select());
    await hub.advance(61 * MINUTE);
    expect(hub.executions.length).toBeGreaterThan(before + 1);
    expect((await hub.status()).status).toBe('SUCCESS');
  });
});
