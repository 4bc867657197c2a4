// @module-tag slow
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';
import { ChangingRecords, COPY, COPY_LIMIT_MS, seededRandom } from './changing-records.ts';

/** `HOMEPORT_CRASH_ROUNDS=20` for the long run; `HOMEPORT_CRASH_SEED` repeats the choices of one that failed. */
const ROUNDS = Number(process.env['HOMEPORT_CRASH_ROUNDS'] ?? 1);
const SEED = Number(process.env['HOMEPORT_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** About the time in which a round of changes is delivered, in ms. */
const ROUND_MS = 1500;

const random = seededRandom(SEED);
const records = new ChangingRecords(random);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let hub: FunctionHubProcess;
let postgres: Postgres;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-records-'));
  [hub, postgres] = await Promise.all([
    startFunctionHubProcess({ 'syncs/copy.ts': COPY }, { prepare: (provider) => records.serve(provider) }),
    startPostgres(),
  ]);
  const to = { kind: 'postgres', connection_string: postgres.url, schema: 'copy' };
  for (const body of [
    { name: 'Tables', ...to },
    { name: 'Files', kind: 'ndjson', folder },
  ])
    expect((await hub.call('POST', '/records/destinations', { body })).status).toBe(201);
});
afterAll(async () => {
  await Promise.all([hub?.stop(), postgres?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const startSync = async (name: 'start' | 'trigger' = 'trigger'): Promise<void> => {
  const body = { syncs: ['copy'], provider_config_key: 'acme', connection_id: 'c1' };
  expect((await hub.call('POST', `/sync/${name}`, { body })).status).toBe(200);
};

/** Until the hub has all changes, and both destinations have them too. */
async function allDelivered(): Promise<void> {
  await waitFor(
    async () => {
      const all = await readAllRecords<{ revision: number }>(hub.connection, 'Item', 10_000);
      const live = new Map(
        all
          .filter(({ _nango_metadata }) => _nango_metadata.deleted_at === null)
          .map(({ id, revision }) => [String(id), revision]),
      );
      return (
        live.size === records.current.size && [...live].every(([id, revision]) => records.current.get(id) === revision)
      );
    },
    { what: 'the records of the sync', limitMs: COPY_LIMIT_MS },
  );
  // A run that still ends would not see the next changes.
  await waitForSync(hub.connection, 'copy', hasSucceeded, COPY_LIMIT_MS);
  await waitFor(
    async () => {
      const { body } = await hub.call('GET', '/records/destinations');
      for (const { error, id } of body.data) if (error) await hub.call('POST', `/records/destinations/${id}/retry`);
      return body.data.every(
        ({ state, waiting }: { state: string; waiting: number }) => state === 'up_to_date' && waiting === 0,
      );
    },
    { what: 'everything to be delivered', limitMs: COPY_LIMIT_MS },
  );
}

async function inFiles(): Promise<
  Array<{ id: string; last_changed: string; deleted: boolean; record: { revision: number } }>
> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ndjson')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function expectSame(): Promise<void> {
  const rows = await postgres.query<{ _id: string; revision: string }>(
    `SELECT _id, _record ->> 'revision' AS revision FROM copy."acme_Item"`,
  );
  expect(new Map(rows.map(({ _id, revision }) => [_id, Number(revision)]))).toEqual(records.current);
  const lines = await inFiles();
  const live = new Map<string, number>();
  for (const { deleted, id, record } of lines) {
    if (deleted) live.delete(id);
    else live.set(id, record.revision);
  }
  expect(live).toEqual(records.current);
  // No change is there twice.
  expect(new Set(lines.map(({ id, last_changed }) => `${id} ${last_changed}`)).size).toBe(lines.length);
  const twice = await postgres.query('SELECT key, changed FROM copy.writes GROUP BY key, changed HAVING count(*) > 1');
  expect(twice).toEqual([]);
}

describe(`destinations of a hub and a database that are killed at random (seed ${SEED})`, () => {
  it('have every change exactly once', { tags: ['nightly'] }, async () => {
    records.change();
    await startSync('start');
    await allDelivered();
    // From now on the database counts what is written.
    await postgres.query(`
      CREATE TABLE copy.writes (key uuid, changed timestamptz);
      CREATE FUNCTION copy.note() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO copy.writes VALUES (new._key, new._last_changed); RETURN new; END $$;
      CREATE TRIGGER note AFTER INSERT OR UPDATE ON copy."acme_Item" FOR EACH ROW EXECUTE FUNCTION copy.note()`);
    for (let round = 1; round <= ROUNDS; round += 1) {
      records.change();
      await startSync();
      await pause(random() * ROUND_MS);
      // Both, then the hub alone, then the database alone.
      const [isHub, isDatabase] = [round % 3 !== 0, round % 3 !== 2];
      if (isHub) await hub.server.kill();
      if (isDatabase) await postgres.crash();
      if (!isHub) await pause(random() * ROUND_MS);
      if (isHub) await hub.server.restart();
      if (isDatabase) await postgres.start();
      await allDelivered();
      await expectSame();
    }
  });
});
