import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database } from '../../../server/platform/database/database.ts';
import { officialClient } from '../../support/import-practice-connection.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/** A backup of commit 65663c64, from before the schema was one step, and its master key. */
const BACKUP = new URL('../../integration/database/data-65663c64.db.gz', import.meta.url);
const MASTER_KEY = Buffer.from('the key of the stored data folde').toString('base64');

let home: TempHome;
let backup: string;
beforeEach(async () => {
  home = await createTempHome();
  backup = join(home.path, 'former.db');
  await writeFile(backup, gunzipSync(await readFile(BACKUP)));
});
afterEach(() => home.remove());

const env = { HOMEPORT_MASTER_KEY: MASTER_KEY };
const restore = (): Promise<CliRun> =>
  runCli(['restore', backup, '--auto-confirm'], { cwd: home.path, home: home.path, env });

it('a backup of the former steps is restored, and the next start opens it with its data', async () => {
  const restored = await restore();
  expect([restored.status, restored.errors]).toEqual([0, expect.stringContaining('opens this backup')]);

  const server = await startInProcess({ home: home.path, env });
  try {
    const nango = officialClient(server);
    const connection = await nango.getConnection('acme', 'c1');
    expect(connection).toMatchObject({
      credentials: { apiKey: 'acme-key' },
      metadata: { plan: 'large' },
    });
    const { records } = await nango.listRecords({ providerConfigKey: 'acme', connectionId: 'c1', model: 'Person' });
    expect(records).toMatchObject([{ name: 'First' }, { name: 'Second' }, { name: 'Third' }]);
  } finally {
    await server.stop();
  }
});

it('an older backup is refused with what to do', async () => {
  const database = await Database.open({ file: backup });
  await database.maintenance("DELETE FROM migrations WHERE id > '0050'");
  await database.close();

  const refused = await restore();

  expect(refused.status).toBe(1);
  expect(refused.errors).toContain('older Homeport (schema 0049-connection-uses)');
  expect(refused.errors).toContain('Restore it with the version before this one');
});
