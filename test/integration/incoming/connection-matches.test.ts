import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../../server/database/database.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { MIGRATIONS } from '../../../server/database/migrations/migration-list.ts';
import { systemClock } from '../../../server/lib/clock.ts';
import { silentLogger } from '../../../server/lib/logger.ts';
import { matchConnections } from '../../../server/services/incoming/match-connections.ts';
import { ConnectionMatchesStore } from '../../../server/stores/connection-matches-store.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const INTEGRATION = 1;
const MANY = 10_000;

let home: TempHome;
let database: Database;

beforeAll(async () => {
  home = await createTempHome();
  const file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger });
  await database.transaction(async (tx) => {
    await tx.run(
      `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
       VALUES (1, 'u', 'dev', '{}', '', 0, 0)`,
    );
    await tx.run(
      `INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at)
       VALUES (1, 1, 'a', 'p', 1, 0, 0), (2, 1, 'b', 'p', 1, 0, 0)`,
    );
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

/** Puts connections in by id, in the place of all that were there. */
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
  const found = await matchConnections({ database, matches: new ConnectionMatchesStore() }, INTEGRATION, {
    property,
    value,
  });
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

  it.each([null, undefined, '', {}, []])('that is none (%j) fits nobody', async (value) => {
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

describe('of ten thousand connections', () => {
  it('one is found in a moment', async () => {
    const padding = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field_${index}`, 'x'.repeat(20)]));
    const stored = (index: number): Stored => ({
      config: { ...padding, id: `tenant-${index}` },
      metadata: { ...padding, ids: [`list-${index}`] },
    });
    await put(Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`c-${index}`, stored(index)])));

    const startedAt = performance.now();
    expect(await match('id', 'tenant-7777')).toEqual(['c-7777']);
    expect(await match('metadata.ids', 'list-9999')).toEqual(['c-9999']);
    expect(await match('connectionId', 'c-5')).toEqual(['c-5']);
    // Ten times what a slow machine needs; one query for each connection would be far beyond it.
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});
