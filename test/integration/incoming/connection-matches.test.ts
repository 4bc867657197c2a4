import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database, type ReadHandle } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { matchConnections } from '../../../server/webhooks-in/webhook-router.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const INTEGRATION = 1;
const MANY = 10_000;
const ENVIRONMENT = `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
  VALUES (1, 'u', 'dev', '{}', '', 0, 0)`;
const INTEGRATIONS = `INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at)
  VALUES (1, 1, 'a', 'p', 1, 0, 0), (2, 1, 'b', 'p', 1, 0, 0)`;

let home: TempHome;
let database: Database;

beforeAll(async () => {
  home = await createTempHome();
  const file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger });
  await database.transaction(async (tx) => {
    await tx.run(ENVIRONMENT);
    await tx.run(INTEGRATIONS);
  });
});
afterAll(async () => {
  await database.close();
  await home.remove();
});

interface Stored {
  config?: unknown;
  metadata?: unknown;
  integrationId?: number;
  deletedAt?: number;
}

/** Stores connections by id and removes all others. */
async function put(connections: Record<string, Stored>): Promise<void> {
  const rows = Object.entries(connections).map(
    ([id, { config = {}, metadata = null, integrationId = 1, deletedAt }]) => ({
      id,
      integrationId,
      config: JSON.stringify(config),
      metadata: metadata === null ? null : JSON.stringify(metadata),
      deletedAt: deletedAt ?? null,
    }),
  );
  await database.transaction(async (tx) => {
    await tx.run('DELETE FROM connections');
    await tx.run(
      `INSERT INTO connections (environment_id, integration_id, connection_id, credentials, connection_config, metadata,
         tags, refresh_attempts, is_refresh_exhausted, created_at, updated_at, deleted_at)
       SELECT 1, value ->> 'integrationId', value ->> 'id', '', value ->> 'config', value ->> 'metadata', '{}', 0, 0, 0, 0,
         value ->> 'deletedAt' FROM json_each(?)`,
      [JSON.stringify(rows)],
    );
  });
}

async function match(property: string, value: unknown): Promise<string[]> {
  const found = await matchConnections(database, INTEGRATION, { property, value });
  return found.map(({ connectionId }) => connectionId);
}

describe('a value in the configuration', () => {
  it('is compared as text, under one flat key', async () => {
    await put({
      text: { config: { id: '62', team: { id: 'T1' } } },
      number: { config: { id: 62 } },
      longer: { config: { id: '620', other: '62' } },
      nested: { config: { id: { value: '62' }, list: ['62'] } },
      dotted: { config: { 'team.id': 'T1' } },
      truth: { config: { id: true } },
      elsewhere: { config: { id: '62' }, integrationId: 2 },
      deleted: { config: { id: '62' }, deletedAt: 1 },
    });

    expect(await match('id', 62)).toEqual(['text', 'number']);
    expect(await match('id', '62')).toEqual(['text', 'number']);
    expect(await match('team.id', 'T1')).toEqual(['dotted']);
    expect(await match('id', true)).toEqual(['truth']);
    expect(await match('list', '62')).toEqual([]);
    expect(await match('missing', '62')).toEqual([]);
  });

  it.each(['it"s', 'back\\slash', 'línea\n2', '100%_', '"62"', '[1]', '{"a":1}', 'null', '$.id', '𝒳', '1e3', '01'])(
    'may be %j',
    async (value) => {
      await put({
        own: { config: { id: value } },
        other: { config: { id: `${value}x` } },
        number: { config: { id: 62 } },
      });

      expect(await match('id', value)).toEqual(['own']);
    },
  );

  it.each([null, undefined, '', {}, []])('that is empty (%j) matches no connection', async (value) => {
    await put({ empty: { config: { id: '' } }, nothing: { config: { id: null } } });

    expect(await match('id', value)).toEqual([]);
  });
});

describe('a value in the metadata', () => {
  it('is equal or in a list', async () => {
    await put({
      equal: { metadata: { key: 'v' } },
      listed: { metadata: { key: ['a', 'v', 7] } },
      numbers: { metadata: { key: [7, 8] } },
      object: { metadata: { key: { v: 'v' } } },
      deep: { metadata: { key: [['v']], 'other.key': 'v' } },
      none: {},
    });

    expect(await match('metadata.key', 'v')).toEqual(['equal', 'listed']);
    expect(await match('metadata.key', 7)).toEqual(['listed', 'numbers']);
    expect(await match('metadata.other.key', 'v')).toEqual(['deep']);
    expect(await match('metadata.key', 'text')).toEqual([]);
  });
});

describe('keys and values of any kind', () => {
  const LONG = 'x'.repeat(5000);

  it.each(['a.b', 'q"uote', 'back\\slash', 'línea\n2', '$', '[0]', ' '])('are found under the key %j', async (key) => {
    await put({
      config: { config: { [key]: 'v' } },
      metadata: { metadata: { [key]: ['v'] } },
      other: { config: { [`${key}x`]: 'v' }, metadata: { [`${key}x`]: 'v' } },
    });

    expect(await match(key, 'v')).toEqual(['config']);
    expect(await match(`metadata.${key}`, 'v')).toEqual(['metadata']);
  });

  it.each([12345678901234567000, 1e21, 0.1, -7, 1e-7, false])(
    'are found by the number or truth value %j',
    async (value) => {
      await put({
        plain: { config: { id: value }, metadata: { ids: ['a', value] } },
        text: { config: { id: String(value) }, metadata: { ids: String(value) } },
        other: { config: { id: 1 }, metadata: { ids: [1] } },
      });

      expect(await match('id', value)).toEqual(['plain', 'text']);
      expect(await match('metadata.ids', value)).toEqual(['plain', 'text']);
    },
  );

  it('are not mixed up: truth values with numbers, long texts with others of the same beginning', async () => {
    await put({
      one: { config: { id: 1 } },
      truth: { config: { id: true } },
      long: { config: { id: `${LONG}1` } },
      longer: { config: { id: `${LONG}2` } },
    });

    expect(await match('id', 1)).toEqual(['one']);
    expect(await match('id', 'true')).toEqual(['truth']);
    expect(await match('id', `${LONG}2`)).toEqual(['longer']);
  });

  it('count once when a list has a value twice', async () => {
    await put({ twice: { metadata: { ids: ['1', 1, 1, true, '1'] } } });

    expect(await match('metadata.ids', 1)).toEqual(['twice']);
  });
});

describe('a connection that changes', () => {
  const write = (sql: string): Promise<unknown> => database.transaction((tx) => tx.run(sql));

  it('is found by its new values only, and no more once it is removed', async () => {
    await put({ own: { config: { id: 'old' }, metadata: { ids: ['old'] } } });

    await write(`UPDATE connections SET connection_config = '{"id":"new"}'`);
    expect(await match('id', 'old')).toEqual([]);
    expect(await match('id', 'new')).toEqual(['own']);
    expect(await match('metadata.ids', 'old')).toEqual(['own']);

    await write('UPDATE connections SET metadata = NULL');
    expect(await match('metadata.ids', 'old')).toEqual([]);

    await write('UPDATE connections SET deleted_at = 1');
    expect(await match('id', 'new')).toEqual([]);
    expect(await database.reader.all('SELECT * FROM connection_values')).toEqual([]);
  });

  it('takes its values along when its row goes', async () => {
    await put({ own: { config: { id: 'old' } } });

    await write('DELETE FROM connections');

    expect(await database.reader.all('SELECT * FROM connection_values')).toEqual([]);
  });
});

describe('of ten thousand connections', () => {
  it('the others are not read', async () => {
    const stored = (index: number): Stored => ({
      config: { id: `tenant-${index}` },
      metadata: { ids: [`list-${index}`] },
    });
    await put(Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`c-${index}`, stored(index)])));
    const plans: string[] = [];
    // After EXPLAIN a handle keeps seeing the state that it saw then.
    const planner = await Database.open({ file: join(home.path, 'homeport.db') });
    onTestFinished(() => planner.close());
    const reader: ReadHandle = {
      get: (sql, params) => database.reader.get(sql, params),
      all: async (sql, params) => {
        const plan = await planner.reader.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
        plans.push(...plan.map(({ detail }) => detail).filter((detail) => detail.includes('connection')));
        return database.reader.all(sql, params);
      },
    };
    const find = async (property: string, value: string): Promise<string[]> => {
      return (await matchConnections({ reader }, INTEGRATION, { property, value })).map(
        ({ connectionId }) => connectionId,
      );
    };

    expect(await find('id', 'tenant-7777')).toEqual(['c-7777']);
    expect(await find('metadata.ids', 'list-9999')).toEqual(['c-9999']);
    expect(await find('connectionId', 'c-5')).toEqual(['c-5']);
    const byValue = [
      'SEARCH connections USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH connection_values USING PRIMARY KEY (integration_id=? AND source=? AND key=? AND value=?)',
    ];
    expect(plans).toEqual([
      ...byValue,
      ...byValue,
      'SEARCH connections USING INDEX connections_live_id (integration_id=? AND connection_id=?)',
    ]);
  });
});
