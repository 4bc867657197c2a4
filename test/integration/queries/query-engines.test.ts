import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { createQueriesService, type QueriesService } from '../../../server/queries/queries.service.ts';
import { RecordsFixture, record } from '../records/records-fixture.ts';

const ENTRY = join(import.meta.dirname, '../../../server/queries/engine/engine-main.ts');

let cache: RecordsFixture;
let queries: QueriesService;
beforeEach(async () => {
  cache = await RecordsFixture.open();
  await cache.addConnections(3);
  queries = serviceWith(200);
});
afterEach(async () => {
  await queries.stop();
  await cache.close();
});

function serviceWith(
  waitMs: number,
  vault = { onLock: (_: () => void) => {}, assertUnlocked: () => {} },
): QueriesService {
  return createQueriesService({
    clock: cache.clock,
    copies: join(dirname(cache.file), 'copies'),
    leastCopiedRows: 50,
    logger: silentLogger,
    reader: cache.database.reader,
    database: cache.file,
    entry: ENTRY,
    recordKey: () => cache.sealingKey,
    vault,
    waitMs,
  });
}

const connection = (connectionId: string) => [{ integrationKey: 'acme', connectionId }];
const ask = (allowed: ReturnType<typeof connection> | null, sql: string, signal = new AbortController().signal) =>
  queries.query({ environmentId: 1, allowed, sql, params: [], format: 'ndjson', mostRows: 1000, signal });

async function rowsOf({ pieces }: Awaited<ReturnType<typeof ask>>): Promise<unknown[]> {
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece.toString());
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('processes of the query engine', () => {
  it('are two: a query of a third scope waits for one of them, and not without a limit', {
    tags: ['slow'],
  }, async () => {
    const first = await ask(connection('c1'), 'SELECT 1 AS n');
    const second = await ask(connection('c2'), 'SELECT 2 AS n');
    await expect(ask(connection('c3'), 'SELECT 3 AS n')).rejects.toMatchObject({
      code: 'query_engine_unavailable',
      message: expect.stringContaining('Try again'),
    });
    await expect(ask(connection('c3'), 'SELECT 3 AS n', AbortSignal.abort())).rejects.toMatchObject({
      code: 'query_engine_unavailable',
    });
    expect(await rowsOf(first)).toEqual([{ n: 1 }]);
    expect(await rowsOf(await ask(connection('c3'), 'SELECT 3 AS n'))).toEqual([{ n: 3 }]);
    expect(await rowsOf(second)).toEqual([{ n: 2 }]);
  });

  it('see what was stored since the last query', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    const count = async () => rowsOf(await ask(null, 'SELECT count(*) AS n FROM acme.Contact WHERE NOT _deleted'));
    expect(await count()).toEqual([{ n: 1 }]);
    await cache.clock.advance(1);
    await cache.run().save('Contact', [record('b', { n: 2 }), record('c', { n: 3 })]);
    await cache.run().remove('Contact', ['a']);
    expect(await count()).toEqual([{ n: 2 }]);
  });

  it('see records of all sizes, each once', async () => {
    const sizes = Array.from({ length: 450 }, (_, index) => (index < 250 ? 10 : (index % 7) * 10_000));
    await cache.run().save(
      'Contact',
      sizes.map((size, index) => record(`r${index}`, { text: 'x'.repeat(size) })),
    );
    const sql = 'SELECT count(*) AS n, count(DISTINCT _id) AS ids, sum(length(text)) AS size FROM acme.Contact';
    const size = sizes.reduce((total, one) => total + one, 0);
    expect(await rowsOf(await ask(null, sql))).toEqual([{ n: 450, ids: 450, size }]);
  });
});
