import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEnvironmentService, type EnvironmentService } from '../../../server/environments/environment.service.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import type { Vault } from '../../../server/platform/vault/vault.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { openVault } from '../../support/open-vault.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const FIXED_KEY = '0d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e';
const SECOND_MS = 1000;

let home: TempHome;
let database: Database;
let clock: FakeClock;
let vault: Vault;
let environments: EnvironmentService;

function createService(): EnvironmentService {
  return createEnvironmentService({
    database,
    vault,
    clock,
    ids: randomIds,
    defaultLogLevel: undefined,
  });
}

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  const file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  vault = await openVault(home.path);
  environments = createService();
  await environments.start();
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const lastUsed = async (): Promise<number | null | undefined> =>
  (await database.reader.get<{ last_used_at: number | null }>('SELECT last_used_at FROM api_keys ORDER BY id LIMIT 1'))
    ?.last_used_at;

describe('keys of an environment', () => {
  it('notes the last use of a key, at most once a minute', async () => {
    const secret = await environments.revealSecretKey(1);
    const start = clock.now();

    await environments.authenticate(secret);
    await waitFor(async () => (await lastUsed()) === start, { what: 'the first use' });
    await clock.advance(59 * SECOND_MS);
    await environments.authenticate(secret);
    // Writers run one after the other: everything that the call started is done once this is.
    await environments.change(1, {});
    expect(await lastUsed()).toBe(start);
    await clock.advance(SECOND_MS);
    await environments.authenticate(secret);
    await waitFor(async () => (await lastUsed()) === start + 60 * SECOND_MS, { what: 'the later use' });
  });

  it('takes a key in any letter case', async () => {
    const secret = await environments.revealSecretKey(1);

    expect(await environments.authenticate(secret.toUpperCase())).toMatchObject({ environment: { name: 'dev' } });
  });

  it('shows the oldest key once the default one is revoked, and takes a fixed one as the new default', async () => {
    const first = await environments.revealSecretKey(1);
    const { secret } = await environments.keys.create(1, 'second', ['environment:*']);
    const caller = await environments.authenticate(first);
    await environments.keys.revoke(1, caller?.keyId ?? 0);

    expect(await environments.revealSecretKey(1)).toBe(secret);
    const restarted = createService();
    await restarted.start({ secretKey: FIXED_KEY });
    expect(await restarted.revealSecretKey(1)).toBe(FIXED_KEY);
    expect(await restarted.authenticate(secret)).toBeDefined();
    expect(await restarted.authenticate(first)).toBeUndefined();
  });

  it('does not remember a key that was revoked while it was looked up', async () => {
    const { id, secret } = await environments.keys.create(1, 'racing', ['environment:*']);

    await Promise.all([environments.authenticate(secret), environments.keys.revoke(1, id)]);

    expect(await environments.authenticate(secret)).toBeUndefined();
  });
});

describe('settings of an environment', () => {
  it('keeps settings and variables together over a restart', async () => {
    const variables = [{ name: 'A', value: 'secret' }];
    await environments.change(1, { logLevel: 'error', webhook: { primaryUrl: 'http://localhost:9' } }, { variables });
    const restarted = createService();
    await restarted.start();

    expect(restarted.find(1)?.settings).toMatchObject({
      logLevel: 'error',
      webhook: { primaryUrl: 'http://localhost:9', onSyncError: true },
    });
    expect(await restarted.listVariables(1)).toEqual([{ name: 'A', value: 'secret', isPlain: false }]);
  });

  it('changes neither when one of them cannot be stored', async () => {
    const variables = [
      { name: 'A', value: 'x' },
      { name: 'A', value: 'y' },
    ];

    await expect(environments.change(1, { logLevel: 'error' }, { variables })).rejects.toThrow();

    expect(environments.find(1)?.settings.logLevel).toBeNull();
    expect(await environments.listVariables(1)).toEqual([]);
  });
});
