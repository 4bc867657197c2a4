import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { OfflineData } from '../../../server/offline-data.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { findLostDatabase } from '../../../server/platform/database/open-database.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { type StartedServer, serverEnvironment, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let server: InProcessServer | StartedServer | undefined;
let home: TempHome | undefined;
afterEach(async () => {
  await server?.stop();
  await home?.remove();
  server = undefined;
  home = undefined;
});

const KEY = Buffer.alloc(32, 7).toString('base64');

async function makeConnections(to: InProcessServer | StartedServer, ids: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const id of ids) {
    const response = await importConnection(to, { provider_config_key: 'practice', connection_id: id });
    statuses.push(response.status);
    if (response.status === 503) {
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe('data_files_lost');
      expect(error.message).toContain('was removed or replaced while Homeport ran. Nothing more is stored.');
      expect(error.message).not.toContain(to.home);
    }
  }
  return statuses;
}

const rescuedIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^homeport-rescued-\d+\.db$/.test(name));

/** The file is complete when SQLite has ended, so wait until the restore accepts it. */
async function restoreRescued(folder: string): Promise<void> {
  const [name = ''] = await rescuedIn(folder);
  const data = await OfflineData.open(readConfig(serverEnvironment(folder, { HOMEPORT_MASTER_KEY: KEY })), systemClock);
  try {
    await data.restore(join(folder, name));
  } finally {
    await data.close();
  }
}

describe('Files of the hub that are removed while it runs', () => {
  it.each([['homeport.db'], ['homeport.db-wal']])(
    'stop writes when %s is gone; everything acknowledged is in a new file, which a start asks for',
    async (file) => {
      home = await createTempHome();
      const running = await startInProcess({ home: home.path, env: { HOMEPORT_MASTER_KEY: KEY } });
      server = running;
      await officialClient(running).createIntegration({ provider: 'practice', unique_key: 'practice' });
      expect(await makeConnections(running, ['a', 'b'])).toEqual([201, 201]);

      await rm(join(home.path, file));
      const after = await makeConnections(running, ['c', 'd']);

      expect(after).toEqual([503, 503]);
      expect((await officialClient(running).getConnection('practice', 'a')).connection_id).toBe('a');
      expect(running.errorOutput()).toContain('was removed or replaced while Homeport ran');

      expect(running.errorOutput()).not.toContain('could not poll');
      await running.end();
      await expect(running.restart()).rejects.toThrow('Restore it with:\n  homeport restore ');
      await restoreRescued(home.path);
      await running.restart();
      const { connections } = await officialClient(running).listConnections();
      expect(connections.map((one) => one.connection_id)).toEqual(expect.arrayContaining(['a', 'b']));
    },
  );

  it('are noticed without a write, and are saved although the server is killed', async () => {
    home = await createTempHome();
    const running = await startServer({ home: home.path, env: { HOMEPORT_MASTER_KEY: KEY } });
    server = running;
    await officialClient(running).createIntegration({ provider: 'practice', unique_key: 'practice' });
    expect(await makeConnections(running, ['a'])).toEqual([201]);
    const folder = home.path;

    await rm(join(folder, 'homeport.db-wal'));
    await waitFor(async () => /is in the file homeport-rescued/.test(running.errorOutput()), { what: 'the new file' });
    await running.kill();

    await restoreRescued(folder);
    server = await startServer({ home: folder, env: { HOMEPORT_MASTER_KEY: KEY } });
    const { connections } = await officialClient(server).listConnections();
    expect(connections.map((one) => one.connection_id)).toEqual(['a']);
  });

  it('are missed at the next start: it does not begin empty without a word', async () => {
    home = await createTempHome();
    const backups = new BackupFolder({ home: home.path, clock: systemClock });
    expect(await findLostDatabase(home.path, backups)).toBeUndefined();

    await writeFile(join(home.path, 'server.json'), '{}');
    expect(await findLostDatabase(home.path, backups)).toContain('had a database, which is gone');

    await mkdir(backups.path);
    await writeFile(join(backups.path, 'homeport-20260101T000000000Z-daily.db'), 'content');
    expect(await findLostDatabase(home.path, backups)).toContain('restore it with: homeport restore ');
  });

  it('stop writes when the lock is gone, because another hub could use the folder', async () => {
    home = await createTempHome();
    server = await startInProcess({ home: home.path });
    await officialClient(server).createIntegration({ provider: 'practice', unique_key: 'practice' });

    await rm(join(home.path, 'homeport.lock'));

    expect(await makeConnections(server, ['a'])).toEqual([503]);
    expect(await rescuedIn(home.path)).toEqual([]);
  });
});
