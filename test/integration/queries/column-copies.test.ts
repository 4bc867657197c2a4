// @module-tag slow
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { createColumnCache } from '../../../server/queries/engine/column-cache.ts';
import { createQueriesService, type QueriesService } from '../../../server/queries/queries.service.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordsFixture, record } from '../records/records-fixture.ts';

const ENTRY = join(import.meta.dirname, '../../../server/queries/engine/engine-main.ts');
const ROWS = 60;
/** What would break texts that are joined by separators. */
const HOSTILE = [
  'a\u001eb',
  '\u001d',
  '\u0000',
  '',
  'null',
  '"',
  "'",
  '\\',
  '\ud83d\ude00',
  'é\u001e',
  '{"a":1}',
  '\n',
];

let cache: RecordsFixture;
let folder: string;
let open: QueriesService[];
let withoutCopies: QueriesService | undefined;
beforeEach(async () => {
  cache = await RecordsFixture.open();
  await cache.addConnections(2);
  folder = join(dirname(cache.file), 'cache/queries');
  open = [];
  withoutCopies = undefined;
});
afterEach(async () => {
  await Promise.all(open.map((one) => one.stop()));
  await cache.close();
});

function serviceWith({
  copies = folder,
  leastCopiedRows = ROWS - 10,
  ...more
}: {
  copies?: string;
  leastCopiedRows?: number;
  memoryMb?: number;
} = {}): QueriesService {
  const service = createQueriesService({
    clock: cache.clock,
    copies,
    database: cache.file,
    entry: ENTRY,
    leastCopiedRows,
    logger: silentLogger,
    reader: cache.database.reader,
    recordKey: () => cache.sealingKey,
    vault: { onLock: () => {}, assertUnlocked: () => {} },
    ...more,
  });
  open.push(service);
  return service;
}

async function rows(service: QueriesService, sql: string): Promise<unknown[]> {
  const { pieces } = await service.query({
    ...{ environmentId: 1, allowed: null, sql, params: [], format: 'ndjson', mostRows: 10_000 },
    signal: new AbortController().signal,
  });
  const texts: Buffer[] = [];
  for await (const piece of pieces) texts.push(piece);
  const lines = Buffer.concat(texts).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

const WHOLE = 'SELECT * FROM acme.Contact ORDER BY _connection, _id';
/** The same from a process that has no copies, as they are in a folder of their own. */
function asStored(sql: string): Promise<unknown[]> {
  withoutCopies ??= serviceWith({
    copies: join(dirname(cache.file), 'none'),
    leastCopiedRows: Number.MAX_SAFE_INTEGER,
  });
  return rows(withoutCopies, sql);
}

async function files(): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.columns')).map((name) => join(folder, name));
}

/** Stores records and lets a process write their copy; resolves to its path and to what was read before there was one. */
async function makeCopy(): Promise<{ file: string; stored: unknown[] }> {
  const texts = Array.from({ length: ROWS }, (_, index) => HOSTILE[index] ?? `text ${index}`);
  await cache.run().save(
    'Contact',
    texts.map((value, index) =>
      record(`id-${index}`, {
        ...{ value, count: index, share: index / 7, isOpen: index % 2 === 0, parts: { index, value } },
        ...(index % 3 === 0 ? {} : { sometimes: value }),
        at: new Date(index * 86_400_000).toISOString(),
      }),
    ),
  );
  await cache.clock.advance(1);
  await cache.run({ connectionRowId: 2 }).save('Contact', [record('other', { value: 'of another connection' })]);
  const service = serviceWith();
  const stored = await rows(service, WHOLE);
  const [file = ''] = await waitFor(async () => ((await files()).length > 0 ? files() : undefined), {
    what: 'the copy',
  });
  await service.stop();
  return { file, stored };
}

/** Resolves to whether the next process used the copy: then it was not made anew. */
async function isUsed(file: string, sql: string): Promise<{ isUsed: boolean; found: unknown[] }> {
  const before = await readFile(file);
  const service = serviceWith();
  const found = await rows(service, sql);
  const after = await readFile(file).catch(() => Buffer.from('it is gone'));
  await service.stop();
  return { isUsed: after.equals(before), found };
}

describe('sealed copies of tables', () => {
  it('give the same rows as the records, whatever is in the texts', async () => {
    const { file } = await makeCopy();
    const bytes = await readFile(file);

    expect(await isUsed(file, WHOLE)).toEqual({ isUsed: true, found: await asStored(WHOLE) });
    expect(bytes.includes('text 20')).toBe(false);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('are read column by column: a statement that needs more gets more', async () => {
    await makeCopy();
    const service = serviceWith();

    for (const sql of [
      'SELECT isOpen, count(*) AS n FROM acme.Contact GROUP BY ALL ORDER BY ALL',
      'SELECT COUNT FROM acme.Contact ORDER BY 1',
      'SELECT c FROM acme.Contact AS c ORDER BY _connection, _id',
      'SELECT x.share FROM acme.Contact x NATURAL JOIN acme.Contact y ORDER BY 1',
      'SELECT try(c)::VARCHAR AS row FROM acme.Contact AS c ORDER BY _connection, _id',
      'SELECT #2 AS second FROM acme.Contact ORDER BY ALL',
      'SELECT count(COLUMNS(*)) FROM acme.Contact',
      "SELECT parts->>'index' AS i FROM acme.Contact WHERE sometimes IS NULL ORDER BY _id",
      WHOLE,
    ])
      expect(await rows(service, sql), sql).toEqual(await asStored(sql));
  });

  it('are followed by what changed since', async () => {
    const { file } = await makeCopy();
    await cache.clock.advance(1);
    await cache.run().save('Contact', [record('id-3', { value: 'changed' }), record('new', { value: 'new' })]);
    await cache.run().remove('Contact', ['id-4']);

    const { found, isUsed: wasUsed } = await isUsed(file, WHOLE);
    expect(found).toEqual(await asStored(WHOLE));
    expect(found).toContainEqual(expect.objectContaining({ _id: 'id-3', value: 'changed' }));
    expect(wasUsed).toBe(true);
  });

  const damages = [
    ['a byte was changed', async (file: string) => changeByte(file, 0.5)],
    ['the first line was changed', async (file: string) => changeByte(file, 0)],
    ['the end is missing', async (file: string) => truncate(file, (await stat(file)).size - 100)],
    ['it is empty', async (file: string) => truncate(file, 0)],
  ] as const;
  nightlyEach(damages, 2)('are made anew when %s', async (damage) => {
    const { file, stored } = await makeCopy();
    await damage(file);

    expect(await isUsed(file, WHOLE)).toEqual({ isUsed: false, found: stored });
  });

  const losses = [
    ['has other changes', 'UPDATE records SET updated_at = updated_at - 1 WHERE external_id = ?'],
    ['lacks a record', 'DELETE FROM records WHERE external_id = ?'],
  ] as const;
  nightlyEach(losses, 2)('are given up when the database %s, as after a backup was put back', async (sql) => {
    const { file } = await makeCopy();
    await cache.database.transaction((tx) => tx.run(sql, ['id-5']));

    expect(await isUsed(file, WHOLE)).toEqual({ isUsed: false, found: await asStored(WHOLE) });
  });

  it('are made of a model that is larger than the memory of the engine, which answers about its columns', {
    tags: ['nightly'],
  }, async () => {
    const run = cache.run();
    for (let first = 0; first < 40_000; first += 1000) {
      const batch = Array.from({ length: 1000 }, (_, index) => `r${first + index}`);
      await run.save(
        'Contact',
        batch.map((id) => record(id, { state: id.slice(-1), text: randomBytes(2000).toString('hex') })),
      );
    }
    const service = serviceWith({ memoryMb: 200 });
    expect(await rows(service, 'SELECT count(*) AS n, count(DISTINCT state) AS states FROM acme.Contact')).toEqual([
      { n: 40_000, states: 10 },
    ]);
    expect(await files()).toHaveLength(1);
  });

  it('do not open with another key', async () => {
    const database = await DuckDBInstance.create(':memory:');
    const connections = [await database.connect(), await database.connect()] as const;
    await connections[0].run('CREATE TABLE two (a VARCHAR)');
    const columns = [{ name: 'a', type: 'VARCHAR' }];
    const withKey = (recordKey: KeyObject) =>
      createColumnCache({ clock: cache.clock, connections, folder: cache.home.path, recordKey }).load(
        'm',
        'two',
        'd',
        columns,
      );
    const own = createColumnCache({
      clock: cache.clock,
      connections,
      folder: cache.home.path,
      recordKey: cache.sealingKey,
    });
    const copy = await own.startCopy({ columns, definition: 'd', model: 'm', streams: [] });
    await copy.add('SELECT $1 AS a', 'secret', 1);
    await copy.finish();
    expect(await withKey(cache.sealingKey)).toEqual([]);
    expect((await connections[0].runAndReadAll('FROM two')).getRows()).toEqual([['secret']]);

    expect(await withKey(createSecretKey(randomBytes(32)))).toBeUndefined();
    expect(await withKey(cache.sealingKey)).toBeUndefined();
  });

  it.each([
    [
      'a connection in them is deleted',
      () => cache.database.transaction((tx) => cache.service.removeConnections(tx, [2])),
    ],
    [
      'records are pruned',
      () => cache.database.transaction((tx) => tx.run('UPDATE record_streams SET pruned_until = 5')),
    ],
    [
      'nobody uses them',
      (file: string) => {
        const longAgo = new Date(cache.clock.now() - 15 * 86_400_000);
        return utimes(file, longAgo, longAgo);
      },
    ],
  ])('are removed when %s', async (_, change) => {
    const { file } = await makeCopy();
    const service = serviceWith();
    service.start();
    await change(file);
    const isRemoved = async (): Promise<boolean> => {
      await cache.clock.advance(60_000);
      return (await files()).length === 0;
    };
    await waitFor(isRemoved, { what: 'the removal' });
  });
});

async function changeByte(file: string, place: number): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor((bytes.length - 1) * place);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(file, bytes);
}
