import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../server/platform/database/database.ts';
import {
  importConnection,
  importPracticeConnection,
  officialClient,
} from '../../support/import-practice-connection.ts';
import { CLI_ENTRY, type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { STORY_LIMIT_MS, step } from '../../support/step.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const FIRST_KEY = randomBytes(32).toString('base64');
const SECOND_KEY = randomBytes(32).toString('base64');

let home: TempHome;
let server: InProcessServer;
beforeAll(async () => {
  home = await createTempHome();
  server = await startInProcess({ home: home.path, env: { HOMEPORT_MASTER_KEY: FIRST_KEY } });
  await importPracticeConnection(server);
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

const cli = (args: string[], masterKey = FIRST_KEY, env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, {
    cwd: home.path,
    home: home.path,
    env: { ...(masterKey === '' ? {} : { HOMEPORT_MASTER_KEY: masterKey }), ...env },
  });
const connectionIds = async (): Promise<string[]> =>
  (await officialClient(server).listConnections()).connections.map(({ connection_id }) => connection_id);
const backupNames = async (): Promise<string[]> => (await readdir(join(home.path, 'backups'))).sort();

it('the data commands serve one life of a data folder', { timeout: STORY_LIMIT_MS }, async () => {
  await step('go through the hub while it runs', async () => {
    const [backup, verified, key] = [
      await cli(['backup', '--json']),
      await cli(['verify']),
      await cli(['key', 'status', '--json']),
    ];

    expect(backup.errors).toBe('');
    expect(await backupNames()).toEqual([expect.stringMatching(/^homeport-\d{8}T\d{9}Z-manual\.db$/)]);
    expect(backup.json().path).toBe(join(home.path, 'backups', (await backupNames())[0] ?? ''));
    expect((await stat(backup.json().path)).mode & 0o777).toBe(0o600);
    expect(verified.output).toContain('The database is valid, and the master key (HOMEPORT_MASTER_KEY) opens it');
    expect(key.json()).toEqual({ source: 'variable' });
  });

  await step('refuse commands that need a stopped hub while it runs', async () => {
    const backup = join(home.path, 'backups', (await backupNames())[0] ?? '');

    const restore = await cli(['restore', backup, '--auto-confirm']);
    const rotate = await cli(['key', 'rotate', '--auto-confirm']);

    expect([restore.status, restore.errors]).toEqual([1, expect.stringContaining('Stop it, then restore.')]);
    expect([rotate.status, rotate.errors]).toEqual([1, expect.stringContaining('HOMEPORT_NEW_MASTER_KEY')]);
  });

  await step('write a copy to a file, and ask before they overwrite one', async () => {
    const first = await cli(['backup', 'copy.db']);
    const again = await cli(['backup', 'copy.db']);
    const confirmed = await cli(['backup', 'copy.db', '--auto-confirm']);
    const verified = await cli(['verify', 'copy.db']);

    expect([first.status, again.status, confirmed.status, verified.status]).toEqual([0, 64, 0, 0]);
    expect(again.errors).toContain('--auto-confirm');
  });

  await step('restore a backup once the hub is stopped, and keep the replaced data', async () => {
    const [backup = ''] = await backupNames();
    await officialClient(server).deleteConnection('practice', 'me');
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'later' });
    await server.end();
    const path = join(home.path, 'backups', backup);

    const asked = await cli(['restore', path]);
    const restored = await cli(['restore', path, '--auto-confirm']);

    expect([asked.status, asked.errors]).toEqual([64, expect.stringContaining('--auto-confirm')]);
    expect(restored.errors).toContain('The master key of this data folder (HOMEPORT_MASTER_KEY) opens this backup.');
    expect(restored.status).toBe(0);
    const kept = (await backupNames()).find((name) => name.endsWith('-before-restore.db')) ?? '';
    await server.restart();
    expect(await connectionIds()).toEqual(['me']);
    expect((await officialClient(server).getConnection('practice', 'me')).credentials).toMatchObject({
      apiKey: 'practice-demo-key',
    });
    await server.end();

    expect((await cli(['restore', join(home.path, 'backups', kept), '--auto-confirm'])).status).toBe(0);
    await server.restart();
    expect(await connectionIds()).toEqual(['later']);
    await server.end();
  });

  await step('refuse a backup of another key, and a file that is not a backup', async () => {
    const [backup = ''] = await backupNames();
    await writeFile(join(home.path, 'note.txt'), 'no database at all, only text\n'.repeat(100));
    const before = await readFile(join(home.path, 'homeport.db'));

    const foreign = await cli(['restore', join('backups', backup), '--auto-confirm'], SECOND_KEY);
    const note = await cli(['restore', 'note.txt', '--auto-confirm']);
    const missing = await cli(['restore', 'nothing.db', '--auto-confirm']);
    const nowhere = await cli(['backup', 'no-folder/copy.db']);

    expect([foreign.status, foreign.errors]).toEqual([1, expect.stringContaining('No master key here opens')]);
    expect([note.status, note.errors]).toEqual([1, expect.stringContaining('is damaged')]);
    expect([missing.status, missing.errors]).toEqual([1, expect.stringContaining('There is no file')]);
    expect([nowhere.status, nowhere.errors]).toEqual([1, expect.stringContaining('its folder does not exist')]);
    expect(await readFile(join(home.path, 'homeport.db'))).toEqual(before);
  });

  await step('replace a given key, in the backups too', async () => {
    const env = { HOMEPORT_NEW_MASTER_KEY: SECOND_KEY };

    const asked = await cli(['key', 'rotate'], FIRST_KEY, env);
    const rotated = await cli(['key', 'rotate', '--auto-confirm'], FIRST_KEY, env);

    expect([asked.status, rotated.status]).toEqual([64, 0]);
    expect((await cli(['key', 'status'], FIRST_KEY)).errors).toContain('does not open this data folder');
    expect((await cli(['key', 'status'], SECOND_KEY)).status).toBe(0);
    for (const name of await backupNames())
      expect((await cli(['verify', join('backups', name)], SECOND_KEY)).output).toContain('opens it');
  });

  await step('do not verify a backup that no key here opens', async () => {
    const elsewhere = join(home.path, 'of-the-first-key.db');
    const [name = ''] = await backupNames();
    await copyFile(join(home.path, 'backups', name), elsewhere);

    const verified = await cli(['verify', elsewhere], FIRST_KEY);
    const asJson = await cli(['verify', elsewhere, '--json'], FIRST_KEY);
    const right = await cli(['verify', elsewhere, '--json'], SECOND_KEY);

    expect([verified.status, verified.output]).toEqual([1, '']);
    expect(verified.errors).toMatch(/^error: .*of-the-first-key\.db is whole, but cannot be used: .*this backup/);
    expect(verified.errors).not.toContain('data folder');
    expect([asJson.status, asJson.errors]).toEqual([1, '']);
    expect(asJson.json()).toEqual({
      ok: false,
      opened_by: null,
      problems: [],
      error: { code: 'wrong_master_key', message: expect.stringContaining('cannot be used') },
    });
    expect([right.status, right.json()]).toEqual([0, { ok: true, opened_by: 'variable', problems: [] }]);
    expect((await cli(['verify'], FIRST_KEY)).status).toBe(1);
    const restored = await cli(['restore', elsewhere, '--auto-confirm'], FIRST_KEY);
    expect([restored.status, restored.errors]).toEqual([1, expect.stringContaining('does not open this backup')]);
  });

  await step('move the key into a file, where the hub finds it and replaces it while it runs', async () => {
    const moved = await cli(['key', 'move', 'file', '--auto-confirm'], SECOND_KEY);
    const moveAgain = await cli(['key', 'move', 'file', '--auto-confirm'], '');
    const before = await readFile(join(home.path, 'master.key'), 'utf8');
    const other = await startInProcess({ home: home.path, env: { HOMEPORT_MASTER_KEY: '' } });
    onTestFinished(() => other.end());

    const rotated = await cli(['key', 'rotate', '--auto-confirm'], '');

    expect([moved.status, moveAgain.status, rotated.status]).toEqual([0, 1, 0]);
    expect(moved.errors).toContain('HOMEPORT_MASTER_KEY is still set');
    const after = await readFile(join(home.path, 'master.key'), 'utf8');
    expect([after === before, after.trim().split('\n').length]).toEqual([false, 1]);
    const { credentials } = await officialClient(other).getConnection('practice', 'later');
    expect(credentials).toMatchObject({ apiKey: 'practice-demo-key' });
    await other.end();
    await other.restart();
    expect((await officialClient(other).listConnections()).connections).toHaveLength(1);
    await other.end();
    for (const name of await backupNames())
      expect((await cli(['verify', join('backups', name)], '')).output).toContain('(the key file) opens it');
  });

  await step('find damage, and restore over it', async () => {
    const file = join(home.path, 'homeport.db');
    const made = (await cli(['backup', '--json'], '')).json().path;
    const handle = await open(file, 'r+');
    for (let page = 1; page < 20; page += 1) await handle.write(Buffer.alloc(64, 0xab), 0, 64, page * 4096);
    await handle.close();

    const verified = await cli(['verify'], '');
    const backup = await cli(['backup'], '');
    const restored = await cli(['restore', made, '--auto-confirm'], '');

    expect([verified.status, verified.errors]).toEqual([1, expect.stringContaining('is damaged')]);
    expect([backup.status, backup.errors]).toEqual([1, expect.stringContaining('is damaged')]);
    expect(restored.status).toBe(0);
    expect(restored.output).toContain('homeport.db.damaged-');
    expect((await cli(['verify'], '')).status).toBe(0);
  });
});

describe('a restore that is interrupted', () => {
  it('ends after the database is replaced', { tags: ['slow'] }, async () => {
    const folder = await createTempHome();
    const hub = await startInProcess({ home: folder.path, env: { HOMEPORT_MASTER_KEY: FIRST_KEY } });
    await hub.end();
    const file = join(folder.path, 'homeport.db');
    // Large enough for a step that takes longer than the usual time limit for a command to end.
    const database = await Database.open({ file, readers: 1 });
    await database.transaction(async (tx) => {
      await tx.run('CREATE TABLE filling (content BLOB)');
      for (let count = 0; count < 200; count += 1) await tx.run('INSERT INTO filling VALUES (zeroblob(1048576))');
    });
    await database.close();
    const backup = join(folder.path, 'backup.db');
    await copyFile(file, backup);
    const child = spawn(process.execPath, [CLI_ENTRY, 'restore', backup, '--auto-confirm'], {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder.path,
        HOMEPORT_HOME: folder.path,
        HOMEPORT_MASTER_KEY: FIRST_KEY,
      },
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await waitFor(() => existsSync(`${file}.restoring`), { what: 'the step' });

    // When a terminal closes, every process of it gets the signal, and the launcher forwards it: the signal arrives twice.
    const again = setInterval(() => existsSync(`${file}.restoring`) && child.kill('SIGHUP'), 20);

    expect(await ended.finally(() => clearInterval(again))).toBe(0);
    expect(existsSync(`${file}.restoring`)).toBe(false);
    expect((await readdir(join(folder.path, 'backups'))).some((name) => name.includes('before-restore'))).toBe(true);
    // The files that a killed command would leave.
    await writeFile(`${file}.restoring`, 'half of a copy');
    await hub.restart();
    expect(existsSync(`${file}.restoring`)).toBe(false);
    await hub.stop();
    await folder.remove();
  });
});
