/**
 * Saves 100,000 records of 1 kB through the records service (sealed), beside raw row-by-row upserts of the same
 * JSON with the sqlite3 package (unsealed). Prints medians of RUNS and the ratio; then a second, unchanged run.
 *
 *   node test/bench/record-ingest.bench.ts [records]
 */
import { generateKeySync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import sqlite3 from 'sqlite3';
import { Database } from '../../server/platform/database/database.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import { silentLogger } from '../../server/platform/lib/logger.ts';
import { createRecordHasher, createRecordSealer, createRecordsService } from '../../server/records/records.service.ts';
import { MIGRATIONS } from '../../server/schema/migration-list.ts';
import { trueTime } from '../support/true-time.ts';

const TOTAL = Number(process.argv[2] ?? 100_000);
const CHUNK = 1000;
const RUNS = Number(process.argv[3] ?? 3);

/** Ascending ids are like those of most providers; shuffled ids are the worst case for the table, as random ids are. */
const ORDERS = { 'in order': (index: number) => index, shuffled: (index: number) => (index * 7919) % TOTAL };

type Chunks = Array<Array<{ id: string; json: string }>>;

function makeChunks(order: (index: number) => number): Chunks {
  const input = Array.from({ length: TOTAL }, (_, index) => {
    const id = `record-${10_000_000 + order(index)}`;
    const fields = {
      name: `Contact ${index}`,
      email: `contact${index}@example.test`,
      notes: randomBytes(440).toString('hex'),
    };
    return { id, json: JSON.stringify({ id, index, ...fields }) };
  });
  return Array.from({ length: Math.ceil(TOTAL / CHUNK) }, (_, index) =>
    input.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}

async function inTempFolder<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'));
  try {
    return await work(join(folder, 'bench.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function rawUpserts(file: string, chunks: Chunks): Promise<number> {
  const db = new sqlite3.Database(file);
  const call = (run: (done: (error: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));
  return seconds(async () => {
    await call((done) =>
      db.exec(
        `PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
         CREATE TABLE records (model TEXT, external_id TEXT, payload TEXT, updated_at INTEGER, PRIMARY KEY (model, external_id));`,
        done,
      ),
    );
    const upsert = db.prepare(
      `INSERT INTO records VALUES ('Contact', ?, ?, ?)
       ON CONFLICT DO UPDATE SET payload = excluded.payload, updated_at = excluded.updated_at`,
    );
    for (const chunk of chunks) {
      await call((done) => db.exec('BEGIN', done));
      for (const record of chunk) await call((done) => upsert.run(record.id, record.json, Date.now(), done));
      await call((done) => db.exec('COMMIT', done));
    }
    await call((done) => upsert.finalize(done));
    await call((done) => db.close(done));
  });
}

async function ours(file: string, chunks: Chunks): Promise<{ first: number; second: number; maxBlockMs: number }> {
  const database = await Database.open({ file });
  for (const statement of MIGRATIONS.flatMap(({ statements }) => statements)) await database.maintenance(statement);
  const key = generateKeySync('aes', { length: 256 });
  const service = createRecordsService({
    seenTime: trueTime,
    database,
    environments: { recordRetention: () => ({ pruneAfterDays: null, deleteAfterDays: null }) },
    clock: systemClock,
    logger: silentLogger,
    sealer: createRecordSealer({ key: () => key, random: randomBytes }),
    hashOf: createRecordHasher(randomBytes(32)),
  });
  const run = (jobId: number): Promise<number> => {
    const scope = {
      connectionRowId: 1,
      variant: 'base',
      jobId,
      models: ['Contact'],
      checkpointKey: 'sync:contacts:base',
    };
    const session = service.openRecords(scope);
    return seconds(async () => {
      for (const chunk of chunks) await session.save('Contact', chunk);
    });
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const first = await run(1);
  const second = await run(2);
  delay.disable();
  await database.close();
  return { first, second, maxBlockMs: delay.percentile(99.9) / 1e6 };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const perSecond = (duration: number): number => Math.round(TOTAL / duration);

for (const [name, order] of Object.entries(ORDERS)) {
  const chunks = makeChunks(order);
  const raw: number[] = [];
  const first: number[] = [];
  const second: number[] = [];
  let maxBlockMs = 0;
  for (let run = 0; run < RUNS; run++) {
    raw.push(await inTempFolder((file) => rawUpserts(file, chunks)));
    const mine = await inTempFolder((file) => ours(file, chunks));
    first.push(mine.first);
    second.push(mine.second);
    maxBlockMs = Math.max(maxBlockMs, mine.maxBlockMs);
  }
  const ratio = (a: number[], b: number[]): string => (median(a) / median(b)).toFixed(2);
  console.log(`ids ${name}`);
  console.log(`  raw sqlite3 upserts, unsealed  ${perSecond(median(raw))} records/s`);
  console.log(`  batchSave, sealed              ${perSecond(median(first))} records/s = ${ratio(raw, first)} x raw`);
  console.log(
    `  batchSave again, unchanged     ${perSecond(median(second))} records/s = ${ratio(first, second)} x the first run`,
  );
  console.log(`  event loop delay, 99.9th percentile  ${maxBlockMs.toFixed(1)} ms`);
}
