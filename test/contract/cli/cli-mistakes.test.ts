import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection, officialClient, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const SECRET = 'sk_live_4242';

let server: InProcessServer;
let home: TempHome;
let folder: TempHome;
beforeAll(async () => {
  home = await createTempHome();
  folder = await createTempHome();
  server = await startInProcess({ home: home.path, env: { HOMEPORT_PROGRAM_LOG: 'info' } });
  await importPracticeConnection(server);
});
afterAll(async () => {
  await server?.stop();
  await home.remove();
  await folder.remove();
});

const cli = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { cwd: folder.path, home: home.path, env });
const at = (name: string): string => join(folder.path, name);

describe('JSON with a mistake', () => {
  it('is not quoted, for it may hold a secret', async () => {
    await writeFile(at('credentials.json'), `{"apiKey": ${SECRET}}`);
    const runs = [
      await cli(['connections', 'add', 'stripe-api-key', 'shop', '--credentials', `{"apiKey": ${SECRET}}`]),
      await cli(['connections', 'add', 'stripe-api-key', 'shop', '--credentials', '@credentials.json']),
      await cli(['import', 'credentials.json']),
    ];

    expect(runs.map(({ status }) => status)).toEqual([64, 64, 64]);
    for (const { errors } of runs) {
      expect(errors).toContain('is not JSON');
      expect(errors).not.toContain('sk_');
    }
  });

  it('is located where that shows nothing of it', async () => {
    const { errors } = await cli(['connections', 'add', 'practice', 'shop', '--credentials', `{apiKey: "${SECRET}"}`]);

    expect(errors).toContain('--credentials is not JSON (line 1 column 2).');
  });
});

describe('homeport connections add', () => {
  it('replaces the credentials of a connection only when that is meant', async () => {
    expect((await cli(['connections', 'add', 'practice', 'twice'])).output).toContain('twice of practice added');

    const again = await cli(['connections', 'add', 'practice', 'twice']);
    const confirmed = await cli(['connections', 'add', 'practice', 'twice', '--auto-confirm']);

    expect([again.status, confirmed.status]).toEqual([64, 0]);
    expect(again.errors).toContain('There is a connection twice of practice already.');
    expect(confirmed.output).toContain('twice of practice has new credentials');
  });

  it('leaves no integration behind when the credentials are refused', async () => {
    const refused = await cli(['connections', 'add', 'stripe-api-key', 'shop', '--credentials', '{}']);

    expect(refused.errors).toContain('credentials.');
    const headers = { authorization: `Bearer ${server.secretKey}` };
    expect((await fetch(`${server.url}/integrations/stripe-api-key`, { headers })).status).toBe(404);
  });

  it('names the provider that was meant', async () => {
    const { errors } = await cli(['connections', 'add', 'githubb', 'me', '--credentials', '{}']);

    expect(errors).toContain('Did you mean "github"?');
  });
});

describe('homeport export', () => {
  it('writes over a file only when that is meant, and leaves it when it fails', async () => {
    const passphrase = { HOMEPORT_PASSPHRASE: 'a long passphrase' };
    expect((await cli(['export', 'hub.json', '--credentials'], passphrase)).status).toBe(0);
    const before = await readFile(at('hub.json'), 'utf8');

    const again = await cli(['export', 'hub.json']);
    const kept = await readFile(at('hub.json'), 'utf8');
    const confirmed = await cli(['export', 'hub.json', '--auto-confirm']);

    expect([again.status, confirmed.status]).toEqual([64, 0]);
    expect(again.errors).toContain('--auto-confirm');
    expect(kept).toBe(before);
    expect(await readFile(at('hub.json'), 'utf8')).not.toBe(before);
  });

  it('says which path it cannot use', async () => {
    await mkdir(at('a folder'));
    const missing = await cli(['export', 'nowhere/hub.json']);
    const isFolder = await cli(['export', 'a folder', '--auto-confirm']);
    const passphrase = await cli(['export', 'new.json', '--credentials', '--passphrase-file', 'no-file']);

    expect(missing.errors).toContain(`${at('nowhere')}`);
    expect(missing.errors).toContain('its folder does not exist');
    expect(passphrase.errors).toContain('there is no such file or folder');
    for (const { errors } of [missing, passphrase]) expect(errors).not.toMatch(/ENOENT|--debug/);
    expect(isFolder.errors).toContain(`${at('a folder')}: this is a folder, not a file`);
  });
});

describe('a question without a terminal', () => {
  it('is part of the message', async () => {
    await writeFile(at('copy.db'), '');

    expect((await cli(['backup', 'copy.db'])).errors).toContain(`${at('copy.db')} exists. Overwrite it?`);
    expect((await cli(['key', 'rotate'])).errors).toContain('Replace the master key?');
  });
});

describe('a command for a hub that does not run', () => {
  it('says so, and not that a key is missing', async () => {
    const { errors } = await runCli(['connections', 'list'], {
      cwd: folder.path,
      home: folder.path,
      env: { HOMEPORT_PORT: '9' },
    });

    expect(errors).toContain(`No hub runs with the data folder ${folder.path}`);
    expect(errors).toMatch(/Start it with ".* serve"/);
  });
});

describe('a key file that is lost while the hub runs', () => {
  it('is noticed by key status, and replaced by key rotate with nothing lost', async () => {
    const own = await createTempHome();
    // With a key file, the keychain is not used.
    await writeFile(join(own.path, 'master.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    const hub = await startInProcess({ home: own.path, env: { HOMEPORT_MASTER_KEY: '' } });
    const run = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: own.path, home: own.path });
    try {
      await importPracticeConnection(hub);
      await rm(join(own.path, 'master.key'));

      const verified = await run('verify', '--json');
      expect([verified.status, verified.json().ok]).toEqual([1, false]);
      const noticed = await run('key', 'status');
      const rotated = await run('key', 'rotate', '--auto-confirm');

      expect([noticed.status, rotated.status]).toEqual([1, 0]);
      expect(noticed.errors).toMatch(/master\.key is gone.* key rotate/);
      expect((await run('key', 'status')).status).toBe(0);
      await hub.restart();
      const [{ connection_id } = { connection_id: '' }] = (await officialClient(hub).listConnections()).connections;
      const { credentials } = await officialClient(hub).getConnection('practice', connection_id);
      expect(credentials).toMatchObject({ apiKey: PRACTICE_KEY });
    } finally {
      await hub.stop();
      await own.remove();
    }
  });
});

describe('the log of the hub', () => {
  it('names a key that the command line showed, and not one that it needed for a call', async () => {
    await cli(['connections', 'list']);
    expect(server.errorOutput()).not.toContain('read a secret');
    await cli(['key', 'show']);

    await waitFor(async () => server.errorOutput().includes('the command line read a secret'), { what: 'the line' });
    expect(server.errorOutput()).not.toContain('shown in the dashboard');
  });
});

describe('an option that a command does not have', () => {
  it('leads to the help of that command', async () => {
    const { errors } = await cli(['connections', 'list', '--limt', '3']);

    expect(errors).toMatch(/help connections list/);
  });
});
