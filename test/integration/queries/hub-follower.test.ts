import { randomBytes } from 'node:crypto';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReader } from '../../../server/platform/database/database.ts';
import { createHubFollower } from '../../../server/queries/engine/hub-follower.ts';
import { createHubTables } from '../../../server/queries/engine/hub-tables.ts';
import { createRecordTables } from '../../../server/queries/engine/record-tables.ts';
import { RecordSourceStore } from '../../../server/queries/record-source.store.ts';
import { createRecordSealer } from '../../../server/records/records.service.ts';
import { RecordsFixture, record } from '../records/records-fixture.ts';

let cache: RecordsFixture;
let engine: DuckDBConnection;
let source: Awaited<ReturnType<typeof openReader>>;
/** Called once, by the name of the method of the store that has just read a page. */
let afterPage: Partial<Record<'listChanged' | 'listVersions', () => Promise<unknown>>>;
let follow: ReturnType<typeof createHubFollower>;

/** Lets a test write between two reads. */
class HookedStore extends RecordSourceStore {
  override async listChanged(...parameters: Parameters<RecordSourceStore['listChanged']>) {
    return this.#hooked('listChanged', await super.listChanged(...parameters));
  }
  override async listVersions(...parameters: Parameters<RecordSourceStore['listVersions']>) {
    return this.#hooked('listVersions', await super.listVersions(...parameters));
  }
  async #hooked<T>(method: 'listChanged' | 'listVersions', page: T): Promise<T> {
    const hook = afterPage[method];
    delete afterPage[method];
    await hook?.();
    return page;
  }
}

beforeEach(async () => {
  cache = await RecordsFixture.open();
  await cache.addConnections(1);
  afterPage = {};
  engine = await (await DuckDBInstance.create(':memory:')).connect();
  await engine.run("ATTACH ':memory:' AS data");
  source = await openReader(cache.file);
  const store = new HookedStore();
  const sealer = createRecordSealer({ key: () => cache.sealingKey, random: randomBytes });
  const parts = { connection: engine, db: source, store };
  follow = createHubFollower({
    db: source,
    hub: createHubTables({ ...parts, scope: { environmentId: 1, allowed: null } }),
    listModels: () => store.listModels(source, 1),
    records: createRecordTables({ ...parts, sealer, cache: null }),
  });
});
afterEach(async () => {
  engine.closeSync();
  await source.close();
  await cache.close();
});

const save = async (model: string, ...records: Array<ReturnType<typeof record>>): Promise<void> => {
  await cache.clock.advance(1);
  await cache.run().save(model, records);
};

async function ask(sql: string): Promise<unknown[]> {
  await follow((_, view) => sql.includes(`acme.${view} `) || sql.includes(`acme.${view}_history `));
  return (await engine.runAndReadAll(sql)).getRowObjectsJson();
}

describe('what a query reads', () => {
  it('has a record once that changes while its model is read the first time', async () => {
    await save('Contact', ...Array.from({ length: 500 }, (_, index) => record(`r${index}`, { n: index })));
    // Its columns are found before.
    await follow(() => false);
    afterPage.listChanged = () => save('Contact', record('r0', { n: -1 }));
    expect(
      await ask('SELECT count(*)::INT AS n, count(DISTINCT _id)::INT AS ids, min(n)::INT AS least FROM acme.Contact '),
    ).toEqual([{ n: 500, ids: 500, least: -1 }]);
  });

  it('has a record in the history that changes between its versions and the present records', async () => {
    await save('Contact', record('a', { n: 1 }), record('b', { n: 1 }));
    await cache.service.history.keep(1, 'Contact', { mostVersions: 10, mostDays: 30 });
    await save('Contact', record('a', { n: 2 }));
    const sql = 'SELECT _id, n::INT AS n FROM acme.Contact_history ORDER BY _id, valid_from';
    const before = await ask(sql);
    expect(before).toContainEqual({ _id: 'b', n: 1 });
    afterPage.listVersions = () => save('Contact', record('b', { n: 2 }));
    expect(await ask(sql)).toEqual(before);
    expect(await ask(sql)).toEqual([...before, { _id: 'b', n: 2 }]);
  });

  it('is one moment for all models', async () => {
    await save('Contact', record('a', { n: 1 }));
    await save('Deal', record('a', { n: 1 }));
    const sql = 'SELECT c.n::INT AS contact, d.n::INT AS deal FROM acme.Contact AS c JOIN acme.Deal AS d USING (_id)';
    expect(await ask(sql)).toEqual([{ contact: 1, deal: 1 }]);
    await save('Contact', record('a', { n: 2 }));
    afterPage.listChanged = async () => {
      await save('Contact', record('a', { n: 3 }));
      await save('Deal', record('a', { n: 3 }));
    };
    expect(await ask(sql)).toEqual([{ contact: 2, deal: 1 }]);
    expect(await ask(sql)).toEqual([{ contact: 3, deal: 3 }]);
  });
});
