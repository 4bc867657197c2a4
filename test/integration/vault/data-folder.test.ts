import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivate } from '../../../server/data-folder.ts';
import { SERVER_ENTRY, serverEnvironment, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const KEY = randomBytes(32).toString('base64');

let folder: TempHome;
let home: string;
beforeEach(async () => {
  folder = await createTempHome();
  home = join(folder.path, 'home');
});
afterEach(() => folder.remove());

/** A start that is expected to fail. */
async function start(masterKey: string): Promise<{ status: number; lines: string[] }> {
  const env = serverEnvironment(home, { HOMEPORT_MASTER_KEY: masterKey });
  const child = spawn(process.execPath, [SERVER_ENTRY], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [status] = (await once(child, 'close')) as [number];
  return { status, lines: output.trim().split('\n') };
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function contentsOf(path: string): Promise<Record<string, string>> {
  // Not the lock, which is held, and not SQLite's index of the log, which contains no data and is rebuilt.
  const files = (await filesOf(path)).filter((file) => !/homeport\.(?:lock|db-shm)/.test(file)).sort();
  const hashOf = async (file: string): Promise<[string, string]> => [
    file,
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ];
  return Object.fromEntries(await Promise.all(files.map(hashOf)));
}

/** The permissions of others for all files and folders in it. */
async function openTo(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = [path, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const modes = await Promise.all(paths.map(async (one) => ({ one, stats: await lstat(one).catch(() => undefined) })));
  return modes
    .filter(({ stats }) => stats && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0)
    .map(({ one, stats }) => `${one} ${((stats?.mode ?? 0) & 0o777).toString(8)}`);
}

describe('a start with a key that cannot be used', () => {
  it('says so in one line and makes nothing when it is malformed', async () => {
    const { status, lines } = await start('short');

    expect(status).toBe(78);
    expect(lines).toEqual(['The master key in HOMEPORT_MASTER_KEY is not base64 of 32 bytes.']);
    await expect(readdir(folder.path)).resolves.toEqual([]);
  });

  it.each(['stop', 'crash'] as const)(
    'changes no byte of data that another key sealed, after a %s',
    { tags: ['slow'] },
    async (ending) => {
      const server = await startServer({ home, env: { HOMEPORT_MASTER_KEY: KEY } });
      await (ending === 'stop' ? server.end() : server.kill());
      const before = await contentsOf(home);
      // A crash leaves the write-ahead log behind.
      expect(Object.keys(before).some((file) => file.endsWith('-wal'))).toBe(ending === 'crash');

      const { status, lines } = await start(randomBytes(32).toString('base64'));

      expect(status).toBe(78);
      expect(lines).toEqual([
        'The master key (environment) does not open this data folder. Nothing was changed. ' +
          'If the key is lost: `npx homeport key reset` creates a new one and keeps all data that is not sealed.',
      ]);
      expect(await contentsOf(home)).toEqual(before);
      const again = await startServer({ home, env: { HOMEPORT_MASTER_KEY: KEY } });
      await again.stop();
    },
  );
});

describe.runIf(process.platform !== 'win32')('the files of a data folder', () => {
  it('are for their user alone, also in a folder that was open to others', async () => {
    await mkdir(home, { mode: 0o755 });
    await chmod(home, 0o755);

    const server = await startServer({ home, hasExamples: true, env: { HOMEPORT_MASTER_KEY: KEY } });
    const response = await fetch(`${server.url}/health`);
    const open = await openTo(home);
    await server.stop();

    expect(response.status).toBe(200);
    expect(open).toEqual([]);
    expect((await filesOf(home)).length).toBeGreaterThan(2);
    expect(await openTo(home)).toEqual([]);
  });

  it('are taken from others when an earlier version left them open, and it is said once', async () => {
    await mkdir(join(home, 'journal'), { recursive: true });
    await mkdir(join(home, 'notes'));
    const files = ['homeport.db', 'homeport.db-wal', 'master.key', 'server.json', 'journal/1.json', 'notes/mine.txt'];
    for (const file of files) await writeFile(join(home, file), '', { mode: 0o644 });
    for (const path of [home, ...files.map((file) => join(home, file))])
      await chmod(path, path === home ? 0o755 : 0o644);
    await chmod(join(home, 'notes'), 0o755);

    const said = await makePrivate(home);
    const again = await makePrivate(home);

    expect(said).toHaveLength(2);
    expect(said[0]).toContain('Other users of this computer could read the data folder');
    expect(said[1]).toContain('master.key');
    expect(again).toEqual([]);
    // A file that does not belong to the hub stays unchanged.
    expect(await openTo(home)).toEqual([`${join(home, 'notes')} 755`, `${join(home, 'notes/mine.txt')} 644`]);
    await rm(join(home, 'notes'), { recursive: true });
  });
});

describe.runIf(process.platform === 'linux')('the master key and the secret key', () => {
  it('are not in the environment of child processes', async () => {
    const server = await startServer({ home, env: { HOMEPORT_MASTER_KEY: KEY } });
    try {
      // The first file starts the compiler's process.
      await mkdir(join(server.workspace, 'demo/actions'), { recursive: true });
      await writeFile(join(server.workspace, 'demo/actions/one.ts'), 'export default 1;\n');
      const children = await waitFor(
        async () => {
          const list = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
          const ids = list.trim().split(' ').filter(Boolean);
          const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8')));
          return commands.some((command) => command.includes('esbuild')) ? ids : undefined;
        },
        { what: 'the compiler' },
      );
      const environments = await Promise.all(children.map((id) => readFile(`/proc/${id}/environ`, 'utf8')));

      expect(environments.length).toBeGreaterThan(0);
      for (const text of environments) {
        expect(text).not.toContain(KEY);
        expect(text).not.toContain(server.secretKey);
      }
    } finally {
      await server.stop();
    }
  });
});
