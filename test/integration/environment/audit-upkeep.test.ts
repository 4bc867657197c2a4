import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditService, createAuditService } from '../../../server/environments/audit.service.ts';
import { createEnvironmentService, type EnvironmentService } from '../../../server/environments/environment.service.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { openVault } from '../../support/open-vault.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let home: TempHome;
let database: Database;
let clock: FakeClock;
let audit: AuditService;
let environments: EnvironmentService;
let events: string[];

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  events = [];
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  const vault = await openVault(home.path);
  environments = createEnvironmentService({ database, vault, clock, ids: randomIds, defaultLogLevel: undefined });
  await environments.start();
  audit = createAuditService({
    seenTime: trueTime,
    database,
    clock,
    logger: silentLogger,
    events: { emit: (name) => void events.push(name) },
  });
});
afterEach(async () => {
  await audit.stop();
  await database.close();
  await home.remove();
});

const entries = async () => {
  const environmentId = environments.workspaceEnvironment.id;
  return (await audit.list({ environmentId }, { offset: 0, limit: 100, isAscending: true })).entries;
};

async function call() {
  const environment = environments.workspaceEnvironment;
  const [key] = await environments.keys.list(environment.id);
  return { keyId: key?.id ?? 0, environment };
}

/** Two connections of an integration `crm`; resolves to their row ids. */
async function createConnections(environmentId: number): Promise<number[]> {
  await database.transaction(async (tx) => {
    await tx.run(
      `INSERT INTO integrations (id, environment_id, unique_key, provider, forward_webhooks, created_at, updated_at)
       VALUES (1, ?, 'crm', 'crm', 0, 0, 0)`,
      [environmentId],
    );
    await tx.run(
      `INSERT INTO connections (id, environment_id, integration_id, connection_id, credentials, connection_config, tags,
         refresh_attempts, is_refresh_exhausted, created_at, updated_at)
       VALUES (1, ?1, 1, 'a', '', '{}', '{}', 0, 0, 0, 0), (2, ?1, 1, 'b', '', '{}', '{}', 0, 0, 0, 0)`,
      [environmentId],
    );
  });
  return [1, 2];
}

describe('the audit', () => {
  it('counts the reads of an hour in one row, and names the connection while it is the only one', async () => {
    const caller = await call();
    for (let read = 0; read < 1000; read += 1) {
      audit.keyUse.called(caller, null);
      audit.keyUse.readCredentials(caller, 'crm', 'a');
    }
    await audit.keyUse.flush();
    audit.keyUse.readCredentials(caller, 'crm', 'a');
    await audit.keyUse.flush();
    expect((await entries()).filter(({ action }) => action === 'token_read')).toMatchObject([
      { count: 1001, integrationKey: 'crm', connectionId: 'a' },
    ]);

    audit.keyUse.readCredentials(caller, 'crm', 'b');
    await audit.keyUse.flush();
    await clock.advance(HOUR_MS);
    audit.keyUse.readCredentials(caller, 'mail', 'c');
    await audit.keyUse.flush();

    expect((await entries()).filter(({ action }) => action === 'token_read')).toMatchObject([
      { count: 1002, integrationKey: 'crm', connectionId: null },
      { count: 1, integrationKey: 'mail', connectionId: 'c' },
    ]);
    const figures = (await audit.keyUse.list(caller.environment.id)).get(caller.keyId);
    expect(figures).toMatchObject({ calls: 1000, credentialReads: 1003 });
  });

  it('knows for seven days which apps used a connection', async () => {
    const { environment } = await call();
    const key = await environments.keys.create(environment.id, 'Invoices', ['environment:proxy']);
    const [own] = await environments.keys.list(environment.id);
    const [first = 0, second = 0] = await createConnections(environment.id);
    const names = async (id: number) => (await audit.keyUse.listUsers(id)).map(({ name }) => name);

    audit.keyUse.readCredentials({ keyId: own?.id ?? 0, environment }, 'crm', 'a');
    await audit.keyUse.flush();
    await clock.advance(DAY_MS);
    for (const connectionId of ['a', 'b', 'gone'])
      audit.keyUse.proxied({ keyId: key.id, environment }, 'crm', connectionId);

    expect([await names(first), await names(second)]).toEqual([['Invoices', 'default'], ['Invoices']]);
    await clock.advance(6.5 * DAY_MS);
    expect(await names(first)).toEqual(['Invoices']);
    await environments.keys.revoke(environment.id, key.id);
    expect(await names(first)).toEqual([]);
  });

  it('reports the first read of credentials once', async () => {
    const caller = await call();
    for (const connection of ['a', 'b']) {
      audit.keyUse.readCredentials(caller, 'crm', connection);
      await audit.keyUse.flush();
    }

    expect(events.filter((name) => name === 'access')).toHaveLength(1);
  });

  it('leaves out what a key did that is gone by now', async () => {
    const { environment } = await call();
    const key = await environments.keys.create(environment.id, 'Short', ['environment:proxy']);
    const caller = { keyId: key.id, environment };
    audit.keyUse.called(caller, null);
    await environments.keys.revoke(environment.id, key.id);
    await audit.keyUse.flush();

    expect((await audit.keyUse.list(environment.id)).has(key.id)).toBe(false);
  });

  it('writes acts that wait for the same turn in one transaction, each once, and the next one after them', async () => {
    const { environment } = await call();
    let transactions = 0;
    const transaction = database.transaction.bind(database);
    database.transaction = (...args) => {
      transactions += 1;
      return transaction(...args);
    };
    const record = (subject: string): Promise<void> =>
      audit.record({ action: 'settings_changed', environmentId: environment.id, subject });

    await Promise.all(['a', 'b', 'c'].map(record));
    expect(transactions).toBe(1);
    expect((await entries()).map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);

    await record('d');
    expect(transactions).toBe(2);
    expect((await entries()).map(({ subject }) => subject)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('writes the next act when the ones before could not be written', async () => {
    const { environment } = await call();
    const transaction = database.transaction.bind(database);
    database.transaction = () => Promise.reject(new Error('The disk is full.'));
    const record = (subject: string): Promise<void> =>
      audit.record({ action: 'settings_changed', environmentId: environment.id, subject });
    await Promise.all([record('lost'), record('lost too')]);
    database.transaction = transaction;

    await record('kept');
    expect((await entries()).map(({ subject }) => subject)).toEqual(['kept']);
  });

  it('removes everything after 90 days', async () => {
    const caller = await call();
    audit.keyUse.called(caller, null);
    await audit.keyUse.flush();
    await audit.record({ action: 'backup_made', environmentId: null });
    await clock.advance(89 * DAY_MS);
    await audit.record({ action: 'settings_changed', environmentId: caller.environment.id, subject: 'log_level' });
    expect(await audit.removeOld()).toBe(0);

    await clock.advance(2 * DAY_MS);
    expect(await audit.removeOld()).toBe(2);
    expect(await entries()).toMatchObject([{ action: 'settings_changed', subject: 'log_level' }]);
  });
});
