import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { RecordsFixture, record } from './records-fixture.ts';
import { StreamReader } from './stream-reader.ts';
import { StreamSimulation, steps } from './stream-simulation.ts';

/** `RECORD_SIMULATION_SECONDS=600` runs it for as long; `RECORD_SIMULATION_SEED` begins with that seed. */
const SECONDS = Number(process.env['RECORD_SIMULATION_SECONDS'] ?? 12);
const SEED = process.env['RECORD_SIMULATION_SEED'];

/** Payloads that belong to nothing, and versions in streams that keep none. */
const LEFTOVERS = `SELECT (SELECT count(*) FROM record_payloads WHERE id NOT IN
    (SELECT payload_id FROM records UNION SELECT payload_id FROM record_versions)) AS payloads,
  (SELECT count(*) FROM record_versions WHERE stream_id NOT IN
    (SELECT id FROM record_streams WHERE history_since > 0)) AS versions`;

describe('the record cache beside a simple model', () => {
  it('agrees after any operations, while readers page through the stream and miss nothing', {
    timeout: SECONDS * 1000 + 30_000,
  }, async () => {
    let operations = 0;
    await fc.assert(
      fc.asyncProperty(
        steps,
        steps,
        fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
        async (base, variant, limits) => {
          operations += base.length + variant.length;
          await simulate([base, variant], () => limits.next().value);
        },
      ),
      {
        numRuns: 1_000_000,
        interruptAfterTimeLimit: SECONDS * 1000,
        ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      },
    );
    if (SECONDS > 60) process.stdout.write(`${operations} operations in ${SECONDS} s\n`);
    expect(operations).toBeGreaterThan(1000);
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

/** Two streams at once, so that their transactions come in between each other. */
async function simulate(
  [base, variant]: [Parameters<StreamSimulation['run']>[0], Parameters<StreamSimulation['run']>[0]],
  limits: () => number,
): Promise<void> {
  const cache = await RecordsFixture.open();
  const streams: StreamSimulation[] = [];
  try {
    await cache.addConnections(1);
    const contacts = new StreamSimulation(cache, { connectionRowId: 1, model: 'Contact', variant: 'base' }, limits);
    const deals = new StreamSimulation(cache, { connectionRowId: 1, model: 'Deal', variant: 'eu' }, limits);
    streams.push(contacts, deals);
    await Promise.all([contacts.run(base), deals.run(variant)]);
    for (const stream of streams) await stream.check();
    const isPurged = async (): Promise<boolean> =>
      (await cache.database.reader.get('SELECT 1 FROM record_streams WHERE retired = 1 OR history_since = -1')) ===
      undefined;
    await waitFor(isPurged, { what: 'the purge' });
    expect(await cache.database.reader.get(LEFTOVERS)).toEqual({ payloads: 0, versions: 0 });
  } finally {
    for (const stream of streams) await stream.stop();
    await cache.close();
  }
}
