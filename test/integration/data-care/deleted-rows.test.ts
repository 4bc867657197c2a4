import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purgeDeleted } from '../../../server/data/data-care.service.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const DAY_MS = 86_400_000;

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
});
afterEach(() => home.remove());

describe('a deleted connection', () => {
  it('leaves nothing of its owner in any file', async () => {
    const canaries = Object.fromEntries(
      ['metadata', 'long', 'tag', 'email', 'config', 'name'].map((name) => [name, `canary-${name}-${randomUUID()}`]),
    );
    const server = await startServer({ home: home.path });
    const nango = officialClient(server);
    await nango.createIntegration({
      provider: 'practice',
      unique_key: 'practice',
    });
    const response = await importConnection(server, {
      provider_config_key: 'practice',
      connection_id: 'me',
      // Longer than a page of the file: the rest is on pages of its own.
      metadata: {
        a: canaries['metadata'],
        b: `${'x'.repeat(20_000)}${canaries['long']}${'x'.repeat(20_000)}`,
      },
      connection_config: { shop: canaries['config'] },
      tags: { plan: canaries['tag'] },
      end_user: { id: 'person', email: `${canaries['email']}@example.com` },
    });
    expect(response.status).toBe(201);
    await nango.updateIntegration({ uniqueKey: 'practice' }, { display_name: canaries['name'] ?? '' });
    await server.end();
    expect(await findSecrets(home.path, canaries, {})).not.toEqual([]);

    await server.restart();
    await nango.deleteConnection('practice', 'me');
    await nango.deleteIntegration('practice');
    await server.end();

    expect(await findSecrets(home.path, canaries, {})).toEqual([]);
  });
});

describe('purgeDeleted', () => {
  it('removes changes of integrations that are older than 30 days, also where logs are kept for good', async () => {
    const database = await Database.open({ file: join(home.path, 'homeport.db') });
    await migrate({ database, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger });
    const now = 100 * DAY_MS;
    await database.maintenance(
      "INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at) VALUES (1, 'u', 'dev', '{}', 'k', 0, 0)",
    );
    await database.maintenance(
      `INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at)
       VALUES (1, 1, 'acme', 'github', 1, 0, 0)`,
    );
    for (const age of [31, 29])
      await database.maintenance(
        `INSERT INTO integration_changes (integration_id, at, sealed) VALUES (1, ${now - age * DAY_MS}, 's')`,
      );

    expect(await purgeDeleted({ database, retentionDays: () => null, now }, [1])).toBe(1);

    expect(await database.reader.all('SELECT at FROM integration_changes')).toEqual([{ at: now - 29 * DAY_MS }]);
    await database.close();
  });

  it('removes rows after the retention of logs, keeps what is younger, live or kept for good, and never frees the last id', async () => {
    const file = join(home.path, 'homeport.db');
    const database = await Database.open({ file });
    await migrate({
      database,
      migrations: MIGRATIONS,
      clock: systemClock,
      logger: silentLogger,
    });
    const now = 100 * DAY_MS;
    await database.transaction(async (tx) => {
      for (const [id, name] of ['dev', 'forever'].entries())
        await tx.run(
          "INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at) VALUES (?, ?, ?, '{}', '', 0, 0)",
          [id + 1, name, name],
        );
      const integrations: Array<[number, number, number | null]> = [
        [1, 1, null],
        [2, 1, now - 16 * DAY_MS],
        [3, 2, null],
        [4, 1, now - 16 * DAY_MS],
      ];
      for (const [id, environment, deletedAt] of integrations)
        await tx.run(
          "INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at, deleted_at) VALUES (?, ?, ?, 'practice', 0, 0, 0, ?)",
          [id, environment, `key-${id}`, deletedAt],
        );
      const connections: Array<[number, number, number | null]> = [
        [1, 1, null],
        [2, 1, now - 16 * DAY_MS],
        [3, 1, now - 14 * DAY_MS],
        [4, 3, now - 99 * DAY_MS],
        [5, 2, now - 16 * DAY_MS],
        [6, 1, now - 20 * DAY_MS],
      ];
      for (const [id, integration, deletedAt] of connections)
        await tx.run(
          "INSERT INTO connections (id, environment_id, integration_id, connection_id, credentials, connection_config, tags, refresh_attempts, is_refresh_exhausted, created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, '', '{}', '{}', 0, 0, 0, 0, ?)",
          [id, integration === 3 ? 2 : 1, integration, `c-${id}`, deletedAt],
        );
    });

    const retentionDays = (environmentId: number): number | null => (environmentId === 1 ? 15 : null);
    const stores = {};
    const purged = await purgeDeleted({ database, ...stores, retentionDays, now }, [1, 2]);

    const ids = async (table: string): Promise<number[]> =>
      (await database.reader.all<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
    expect(purged).toBe(3);
    expect(await ids('connections')).toEqual([1, 3, 4, 6]);
    expect(await ids('integrations')).toEqual([1, 3, 4]);
    await database.close();
  });
});
