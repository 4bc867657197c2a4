import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { RecordsFixture, record } from './records-fixture.ts';
import { StreamReader } from './stream-reader.ts';
import { type Step, StreamSimulation, steps } from './stream-simulation.ts';

/** `RECORD_SIMULATION_SECONDS=600` runs it for at least as long; `RECORD_SIMULATION_SEED` begins with that seed. */
const SECONDS = Number(process.env['RECORD_SIMULATION_SECONDS'] ?? 0);
/** Minimum number of operations, however long they take. */
const OPERATIONS = 1000;
const FIRST_SEED = Number(process.env['RECORD_SIMULATION_SEED'] ?? Math.floor(Math.random() * 2 ** 30));
/** Simulations per seed, in one database. */
const RUNS = 20;

describe('the record cache beside a simple model', () => {
  it('agrees after any operations, while readers page through the stream and miss nothing', {
    timeout: SECONDS * 1000 + 60_000,
  }, async () => {
    const endAt = performance.now() + SECONDS * 1000;
    let operations = 0;
    let seed = FIRST_SEED;
    for (; operations <= OPERATIONS || performance.now() < endAt; seed += 1) operations += await simulateSeed(seed);

    if (SECONDS > 60) process.stdout.write(`${operations} operations, ${seed - FIRST_SEED} seeds\n`);
    expect(operations).toBeGreaterThan(OPERATIONS);
  });
});

describe('readers of one stream', () => {
  it('miss nothing that several runs write at once', async () => {
    const cache = await RecordsFixture.open();
    const stream = { connectionRowId: 1, model: 'Contact', variant: 'base' };
    const readers = [1, 7, 1000].map((limit) => new StreamReader(cache, stream, () => limit));
    const latest = new Map<string, number>();
    const write = async (prefix: string): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const ids = Array.from({ length: 20 }, (_, index) => `${prefix}${(index * 7 + round) % 50}`);
        await cache.run().save(
          'Contact',
          ids.map((id) => record(id, { n: round })),
        );
        for (const id of ids) latest.set(id, round);
      }
    };
    try {
      await Promise.all(['x', 'y', 'z'].map(write));
      for (const reader of readers) {
        await reader.finish();
        const seen = [...reader.seen.values()].map((row) => [row.id, row['n']]);
        expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(latest));
      }
    } finally {
      await Promise.all(readers.map((reader) => reader.stop()));
      await cache.close();
    }
  });
});

/** Resolves to the number of operations. */
async function simulateSeed(seed: number): Promise<number> {
  const cache = await RecordsFixture.open();
  let operations = 0;
  let connectionRowId = 0;
  const limits = fc.infiniteStream(fc.integer({ min: 1, max: 12 }));
  try {
    await cache.addConnections(RUNS * 100);
    await fc.assert(
      fc.asyncProperty(steps, steps, limits, async (contacts, deals, limit) => {
        operations += contacts.length + deals.length;
        connectionRowId += 1;
        await simulate(cache, connectionRowId, [contacts, deals], () => limit.next().value);
      }),
      { numRuns: RUNS, seed },
    );
  } finally {
    await cache.close();
  }
  return operations;
}

/** Two streams at once, so that their transactions interleave. */
async function simulate(
  cache: RecordsFixture,
  connectionRowId: number,
  [contactSteps, dealSteps]: [Step[], Step[]],
  limits: () => number,
): Promise<void> {
  const contacts = new StreamSimulation(cache, { connectionRowId, model: 'Contact', variant: 'base' }, limits);
  const deals = new StreamSimulation(cache, { connectionRowId, model: 'Deal', variant: 'eu' }, limits);
  try {
    await Promise.all([contacts.run(contactSteps), deals.run(dealSteps)]);
    await contacts.check();
    await deals.check();
  } finally {
    await contacts.stop();
    await deals.stop();
    for (const model of ['Contact', 'Deal']) await cache.service.history.stop(1, model);
  }
  await waitFor(async () => (await cache.database.reader.get(WAITING)) === undefined, { what: 'the purge' });
  expect(await cache.database.reader.get(LEFTOVERS)).toEqual({ payloads: 0, versions: 0 });
  await cache.database.transaction((tx) => cache.service.removeConnections(tx, [connectionRowId]));
  await waitFor(async () => (await cache.rowsOf('record_streams')) === 0, { what: 'the purge of the connection' });
  expect([await cache.rowsOf('records'), await cache.rowsOf('record_payloads')]).toEqual([0, 0]);
}

const WAITING = 'SELECT 1 FROM record_streams WHERE retired = 1 OR history_since = -1';
/** Once no history is kept: payloads without a record, and versions. */
const LEFTOVERS = `SELECT (SELECT count(*) FROM record_payloads WHERE id NOT IN (SELECT payload_id FROM records)) AS payloads,
  (SELECT count(*) FROM record_versions) AS versions`;
