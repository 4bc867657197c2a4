// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, type SyncState, syncState, waitForSync } from '../../support/wait-for-sync.ts';
import {
  type Change,
  ChangingRecords,
  COPY,
  COPY_LIMIT_MS,
  LAST_PAGE,
  PER_PAGE,
  RECORDS,
  seededRandom,
} from './changing-records.ts';
import { type DatabaseFacts, inspect, inspectKilled } from './database-facts.ts';
import { StreamFollower } from './stream-follower.ts';

/** `HOMEPORT_CRASH_ROUNDS=20` for the long run; `HOMEPORT_CRASH_SEED` repeats the choices of one that failed. */
const ROUNDS = Number(process.env['HOMEPORT_CRASH_ROUNDS'] ?? 2);
const SEED = Number(process.env['HOMEPORT_CRASH_SEED'] ?? Date.now() % 1_000_000);
const HOUR = 3_600_000;
const TICK_MS = 30_000;

const TICK = syncSource(`await nango.post({ endpoint: '/tick', data: {} });`)
  .replace('every day', 'every 30s')
  .replace('autoStart: false', 'autoStart: true')
  .replace('Item:', 'Tick:');

const random = seededRandom(SEED);
const records = new ChangingRecords(random);
const upTo = (most: number): number => Math.floor(random() * most);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let hub: FunctionHubProcess;
let follower: StreamFollower;
let createdAt = 0;
const story: string[] = [];
/** About the duration of an undisturbed run, in ms. */
const RUN_MS = 800;

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    { 'syncs/copy.ts': COPY, 'syncs/tick.ts': TICK },
    {
      prepare: (provider) => {
        records.serve(provider);
        provider.on('POST /tick', { body: {} });
        createdAt = Date.now();
      },
    },
  );
  follower = new StreamFollower(hub, 'Item');
  follower.start();
});
afterAll(async () => {
  await follower?.stop();
  await hub?.stop();
  if (process.env['HOMEPORT_CRASH_ROUNDS'] !== undefined) console.info(story.join('\n'));
});

const ofCopy = { syncs: ['copy'], provider_config_key: 'acme', connection_id: 'c1' };
const command = async (name: 'start' | 'trigger'): Promise<void> => {
  expect((await hub.call('POST', `/sync/${name}`, { body: ofCopy })).status).toBe(200);
};

/** The moments of a power cut after a run was requested. */
const MOMENTS = {
  'right after the answer to the command': () => pause(upTo(10)),
  'somewhere in the run': () => pause(upTo(RUN_MS)),
  'while a page is saved': async () => {
    const at = upTo(LAST_PAGE);
    await new Promise<void>((resolve) => {
      records.onPage = (page) => page === at && resolve();
    });
    await pause(upTo(8));
  },
  'at the end of the run': async () => {
    await new Promise<void>((resolve) => {
      records.onPage = (page) => page === LAST_PAGE && resolve();
    });
    await pause(upTo(40));
  },
} satisfies Record<string, () => Promise<void>>;

/** True for the files at any moment. */
function expectConsistent(facts: DatabaseFacts): void {
  expect(facts.integrity).toEqual(['ok']);
  expect(facts.liveCount).toBe(facts.liveRows);
  expect(facts.counted.added - facts.counted.deleted).toBe(facts.liveRows);
  expect(facts.liveJobs).toBeLessThanOrEqual(1);
  expect(facts.runs.slice(0, -1)).not.toContain('RUNNING');
  // Pages that are saved according to the checkpoint were saved, and seen by the window that deletes the others.
  const saved = [...records.current.keys()].slice(0, facts.savedPages * PER_PAGE);
  expect(saved.filter((id) => !facts.seenInWindow.has(id))).toEqual([]);
  if (facts.savedPages > 0) expect(facts.windowStart).toBeDefined();
}

async function expectDone(before: DatabaseFacts | undefined, change: Change): Promise<DatabaseFacts> {
  const state = (await syncState(hub.connection, 'copy')) as SyncState;
  expect(state).toMatchObject({ status: 'SUCCESS', recordCount: { Item: RECORDS }, checkpoint: null });
  const untilNext = Date.parse(state.nextScheduledSyncAt ?? '') - Date.now();
  expect(untilNext).toBeGreaterThan(0);
  expect(untilNext).toBeLessThanOrEqual(HOUR);
  const { errors } = (await hub.call('GET', '/connections/c1?provider_config_key=acme')).body;
  expect(errors).toEqual([]);

  const facts = await inspect(hub.server.home, 'copy');
  expectConsistent(facts);
  expect(facts).toMatchObject({ liveRows: RECORDS, savedPages: 0, windowStart: undefined, liveJobs: 0 });
  expect(facts.runs.filter((status) => status === 'RUNNING')).toEqual([]);
  // The work of interrupted runs is counted there, and not twice.
  const { added, updated, deleted } = before?.counted ?? { added: 0, updated: 0, deleted: 0 };
  expect(facts.counted).toEqual({
    added: added + change.added,
    updated: updated + change.updated,
    deleted: deleted + change.deleted,
  });
  await follower.caughtUp();
  expect(follower.complaints).toEqual([]);
  expect(follower.live).toEqual(records.current);
  return facts;
}

describe(`a server that is killed at random (seed ${SEED})`, () => {
  let before: DatabaseFacts | undefined;
  let nextScheduledSyncAt: string | null | undefined;

  const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
  it.each(rounds)('loses nothing, does nothing twice and continues: round %i', async (round) => {
    const change = records.change();
    records.pages.length = 0;
    const names = Object.keys(MOMENTS) as Array<keyof typeof MOMENTS>;
    const moment = names[(round - 1) % names.length] as keyof typeof MOMENTS;
    const isStartKilled = round % 3 === 0;
    const startedAt = performance.now();

    const reached = MOMENTS[moment]();
    await command(round === 1 ? 'start' : 'trigger');
    if (moment !== 'right after the answer to the command') await reached;
    await hub.server.kill();
    expectConsistent(await inspectKilled(hub.server.home, 'copy'));
    if (isStartKilled) {
      await hub.server.killDuringStart(50 + upTo(1200));
      expectConsistent(await inspectKilled(hub.server.home, 'copy'));
    }
    await hub.server.restart();
    const what = `the last page (${moment})`;
    await waitFor(() => records.pages.includes(LAST_PAGE), { what, limitMs: COPY_LIMIT_MS });
    const done = await waitForSync(hub.connection, 'copy', hasSucceeded, COPY_LIMIT_MS);

    before = await expectDone(before, change);
    // Based on its creation: no kill moves it.
    expect(nextScheduledSyncAt ?? done.nextScheduledSyncAt).toBe(done.nextScheduledSyncAt);
    nextScheduledSyncAt = done.nextScheduledSyncAt;
    const times = isStartKilled ? 'twice, the second time during the start' : 'once';
    story.push(`round ${round}: killed ${times}, ${moment}; ${Math.round(performance.now() - startedAt)} ms`);
  });

  it('never had two runs of a sync at the same time', () => {
    // A run sends its requests without a pause: once the next one has started, the one before sends no more.
    const inOrder = records.jobs.filter((job, index) => job !== records.jobs[index - 1]);
    expect(new Set(inOrder).size).toBe(inOrder.length);
    expect(inOrder.length).toBeGreaterThan(ROUNDS);
  });

  it('kept every schedule going', async () => {
    story.push(`${records.jobs.length} pages asked for by ${new Set(records.jobs).size} runs`);
    story.push(
      `${follower.interruptions} interruptions of the reader, ${hub.provider.requestsTo('/tick').length} ticks`,
    );
    const slots = Math.floor((Date.now() - createdAt) / TICK_MS);
    await waitFor(() => hub.provider.requestsTo('/tick').length > slots - 1, {
      what: `${slots} runs of the other sync`,
    });
    expect(follower.interruptions).toBeGreaterThanOrEqual(ROUNDS);
  });
});
