import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FunctionVersionsStore } from '../../../server/functions/function-versions.store.ts';
import { FunctionsStore, type NewVersion } from '../../../server/functions/functions.store.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const KEY = {
  environmentId: 1,
  integrationKey: 'acme',
  type: 'action' as const,
  name: 'send',
};

let home: TempHome;
let database: Database;
const functions = new FunctionsStore();
const versions = new FunctionVersionsStore();

beforeEach(async () => {
  home = await createTempHome();
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  await migrate({ database, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger });
  await database.maintenance(
    "INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at) VALUES (1, 'u', 'dev', '{}', 'k', 0, 0)",
  );
});

afterEach(async () => {
  await database.close();
  await home.remove();
});

function deploy(version: string, source: string, changes: Partial<NewVersion> = {}): Promise<void> {
  return database.transaction((tx) => functions.upsertDeployed(tx, fresh(version, source, changes)));
}

function fresh(version: string, source: string, changes: Partial<NewVersion> = {}): NewVersion {
  return {
    ...KEY,
    origin: 'workspace',
    path: 'acme/actions/send.ts',
    version,
    definition: '{}',
    bundleHash: version,
    inputs: '[]',
    code: { bundle: 'b', source },
    now: Number(version),
    ...changes,
  };
}

async function kept(name = KEY.name): Promise<string[]> {
  const row = await functions.find(database.reader, { ...KEY, name });
  const list = await versions.list(database.reader, row?.id ?? 0);
  return list.map(({ version }) => version);
}

describe('versions of functions', () => {
  it('are kept when they go live, the same one once', async () => {
    await deploy('1', 'one');
    await deploy('2', 'two');
    await deploy('2', 'two', { path: 'acme/actions/moved.ts' });
    await deploy('2', 'two', { origin: 'repo' });
    await deploy('1', 'one', { name: 'other' });

    expect(await kept()).toEqual(['2', '2', '1']);
    expect(await kept('other')).toEqual(['1']);
  });

  it('are at most 20, fewer when they are long, and at least the newest', async () => {
    for (let count = 1; count <= 22; count += 1) await deploy(String(count), `source ${count}`);
    expect(await kept()).toHaveLength(20);
    expect((await kept()).at(-1)).toBe('3');

    await deploy('23', 'x'.repeat(1_500_000));
    expect((await kept())[0]).toBe('23');
    await deploy('24', 'y'.repeat(1_500_000));
    expect(await kept()).toEqual(['24']);
  });

  it('go with their function and stay unstored when the transaction fails', async () => {
    await deploy('1', 'one');
    const row = await functions.find(database.reader, KEY);
    const failing = database.transaction(async (tx) => {
      await functions.upsertDeployed(tx, fresh('2', 'two'));
      throw new Error('cut off');
    });
    await expect(failing).rejects.toThrow('cut off');
    expect(await kept()).toEqual(['1']);

    await database.transaction((tx) => functions.remove(tx, row?.id ?? 0));
    expect(await versions.list(database.reader, row?.id ?? 0)).toEqual([]);
  });
});
