import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { RecordsFixture } from './records-fixture.ts';
import { StreamSimulation, steps } from './stream-simulation.ts';

/** `RECORD_SIMULATION_SECONDS=600` runs it for as long; `RECORD_SIMULATION_SEED` begins with that seed. */
const SECONDS = Number(process.env['RECORD_SIMULATION_SECONDS'] ?? 12);
const SEED = process.env['RECORD_SIMULATION_SEED'];

const ORPHANS = `SELECT count(*) AS n FROM record_payloads WHERE id NOT IN
  (SELECT payload_id FROM records UNION SELECT payload_id FROM record_versions)`;

describe('the record cache beside a simple model', () => {
  it(
    'agrees after any operations, while readers page through the stream and miss nothing',
    { timeout: SECONDS * 1000 + 30_000 },
    async () => {
      let operations = 0;
      await fc.assert(
        fc.asyncProperty(
          steps,
          steps,
          fc.boolean(),
          fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
          async (base, variant, hasHistory, limits) => {
            operations += base.length + variant.length;
            await simulate([base, variant], hasHistory, () => limits.next().value);
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
    },
  );
});

/** Two streams at once, so that their transactions come in between each other. */
async function simulate(
  [base, variant]: [Parameters<StreamSimulation['run']>[0], Parameters<StreamSimulation['run']>[0]],
  hasHistory: boolean,
  limits: () => number,
): Promise<void> {
  const cache = await RecordsFixture.open();
  try {
    await cache.addConnections(1);
    if (hasHistory) await cache.service.history.keep(1, 'Contact', { mostVersions: 1000, mostDays: 1000 });
    const streams = [
      new StreamSimulation(cache, 'base', { limits, hasHistory }),
      new StreamSimulation(cache, 'eu', { limits, hasHistory }),
    ] as const;
    await Promise.all([streams[0].run(base), streams[1].run(variant)]);
    for (const stream of streams) await stream.check();
    const isPurged = async (): Promise<boolean> =>
      (await cache.database.reader.get('SELECT 1 FROM record_streams WHERE retired = 1')) === undefined;
    await waitFor(isPurged, { what: 'the purge' });
    expect(await cache.database.reader.get(ORPHANS)).toEqual({ n: 0 });
    if (!hasHistory) expect(await cache.rowsOf('record_versions')).toBe(0);
  } finally {
    await cache.close();
  }
}
