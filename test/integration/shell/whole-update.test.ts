// @module-tag slow
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpdateState } from '../../../server/contract/shell-bridge.ts';
import { evaluateIn, readAddresses, STAND_IN } from '../../support/start-desktop.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { startScreen, type VirtualScreen, whyNoScreen } from '../../support/virtual-screen.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { StandInAddress } from '../../support/window-stand-in/evaluate-server.ts';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
const WATCHER = join(DIST, 'electron/watch-update.mjs');
/** A version that changes the database as its own server would, tells that it starts, and ends. */
const BROKEN_MAIN = `import { DatabaseSync } from 'node:sqlite';
const db = new DatabaseSync(process.env.HOMEPORT_HOME + '/homeport.db');
db.exec("INSERT INTO migrations VALUES ('9999-of-a-later-version', 'x', 1, 0)");
db.close();
await import('./shell.mjs');
process.exit(1);
`;
const LIMIT_MS = 240_000;

describe.skipIf(whyNoScreen())('an update of the desktop app, from the feed to the new window', () => {
  let home: TempHome;
  let screen: VirtualScreen;
  let feed: Server;
  const files = new Map<string, Buffer | string>();
  let program: string;
  let control: string;

  beforeAll(async () => {
    home = await createTempHome();
    screen = await startScreen();
    feed = createServer((request, response) => {
      const file = files.get((request.url ?? '/').split('?')[0] ?? '/');
      response.statusCode = file === undefined ? 404 : 200;
      response.end(file);
    });
    await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
    program = join(home.path, 'Homeport.AppImage');
    control = join(home.path, 'control');
    writeFileSync(program, makeVersion('0.1.0'));
    chmodSync(program, 0o755);
  });
  afterAll(async () => {
    for (const { pid } of alive()) process.kill(pid, 'SIGKILL');
    await waitFor(() => alive().length === 0, { what: 'the end of every version' });
    await screen.end();
    feed.closeAllConnections();
    await new Promise((resolve) => feed.close(resolve));
    await home.remove();
  });

  /** An unpacked version; the result is the file that a person starts and the updater replaces. */
  function makeVersion(version: string, { isBroken = false } = {}): string {
    const folder = join(home.path, 'versions', version);
    const app = join(folder, 'resources/app');
    const shell = join(app, 'dist/electron');
    mkdirSync(join(folder, 'resources/runtime/bin'), { recursive: true });
    cpSync(join(DIST, 'electron'), shell, { recursive: true });
    if (isBroken) {
      cpSync(join(shell, 'main.mjs'), join(shell, 'shell.mjs'));
      writeFileSync(join(shell, 'main.mjs'), BROKEN_MAIN);
    }
    writeFileSync(
      join(app, 'package.json'),
      JSON.stringify({ main: 'dist/electron/main.mjs', type: 'module', version }),
    );
    symlinkSync(process.execPath, join(folder, 'resources/runtime/bin/node'));
    symlinkSync(DIST, join(folder, 'resources/dist'));
    const { port } = feed.address() as AddressInfo;
    writeFileSync(
      join(folder, 'resources/app-update.yml'),
      `provider: generic\nurl: http://127.0.0.1:${port}\nupdaterCacheDirName: homeport-updater\n`,
    );
    return `#!/bin/sh\nexport APPIMAGE=${program}\nexec ${process.execPath} ${STAND_IN} --package ${folder}/homeport "$@"\n`;
  }

  function offer(version: string, content: string, sum = content): void {
    const sha512 = createHash('sha512').update(sum).digest('base64');
    const url = `Homeport-${version}.AppImage`;
    files.set(`/${url}`, content);
    files.set(
      '/latest-linux.yml',
      `version: ${version}\nfiles:\n  - url: ${url}\n    sha512: ${sha512}\n    size: ${sum.length}\npath: ${url}\nsha512: ${sha512}\nreleaseNotes: "<p>Calmer in ${version}</p>"\n`,
    );
  }

  const exists = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const alive = (): StandInAddress[] => readAddresses(control).filter(({ pid }) => exists(pid));
  const version = (address: StandInAddress) => evaluateIn(address, ({ app }) => app.getVersion());
  /** What the page in front calls. */
  const onBridge = (address: StandInAddress, code: string) =>
    evaluateIn(
      address,
      ({ BrowserWindow }, asked) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(asked),
      `homeport.${code}`,
    );
  const update = async (address: StandInAddress) => (await onBridge(address, 'getUpdateState()')) as UpdateState;
  const told = (address: StandInAddress) =>
    evaluateIn(address, (electron) =>
      (
        electron as unknown as { standIn: { messageBoxes: Array<{ message: string; detail?: string }> } }
      ).standIn.messageBoxes.map(({ detail, message }) => `${message}: ${detail}`),
    );
  const running = (wanted: string, other?: StandInAddress): Promise<StandInAddress> =>
    waitFor(
      async () => {
        for (const one of alive())
          if (
            one.pid !== other?.pid &&
            (await version(one)) === wanted &&
            (await onBridge(one, 'getServerState()')).name === 'ready'
          )
            return one;
        return undefined;
      },
      { what: `the window of ${wanted}`, limitMs: 100_000 },
    );

  it(
    'replaces the program and tells what is new; a version that does not start gives way to the former one',
    async () => {
      const second = makeVersion('0.2.0');
      offer('0.2.0', 'not what the feed says', second);
      const env = {
        ...process.env,
        DISPLAY: screen.display,
        HOME: home.path,
        XDG_CONFIG_HOME: join(home.path, 'config'),
        XDG_CACHE_HOME: join(home.path, 'cache'),
        HOMEPORT_HOME: join(home.path, 'data'),
        HOMEPORT_PORT: '0',
        HOMEPORT_PRACTICE_PORT: '0',
        HOMEPORT_TYPE_CHECK: '0',
        HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
        HOMEPORT_STAND_IN_CONTROL: control,
      };
      spawn(program, [], { env, cwd: home.path, stdio: 'ignore', detached: true }).unref();
      const first = await running('0.1.0');
      await waitFor(async () => (await update(first)).name === 'failed', { what: 'the refused download' });
      expect(await update(first)).toMatchObject({ message: expect.stringContaining('checksum mismatch') });

      offer('0.2.0', second);
      await onBridge(first, 'checkForUpdates()');
      await waitFor(async () => (await update(first)).name === 'ready', { what: 'the download' });
      void onBridge(first, 'installUpdate()').catch(() => {});
      const next = await running('0.2.0', first);

      expect(exists(first.pid)).toBe(false);
      expect(await told(next)).toEqual(['What is new in Homeport 0.2.0: Calmer in 0.2.0']);
      expect(readFileSync(program, 'utf8')).toContain('versions/0.2.0');
      expect(readdirSync(join(home.path, 'data/backups'))).toHaveLength(1);
      expect(existsSync(join(home.path, 'config/Homeport Desktop/former-version/former.json'))).toBe(false);

      offer('0.3.0', makeVersion('0.3.0', { isBroken: true }));
      await onBridge(next, 'checkForUpdates()');
      await waitFor(async () => (await update(next)).name === 'ready', { what: 'the download of the broken version' });
      void onBridge(next, 'installUpdate()').catch(() => {});
      const back = await running('0.2.0', next);

      expect((await told(back))[0]).toMatch(
        /^Homeport 0\.3\.0 did not start, so 0\.2\.0 is back: It ended while it was starting\.\n\nYour data is as it was before/,
      );
      expect(readFileSync(program, 'utf8')).toContain('versions/0.2.0');
      await waitFor(async () => (await update(back)).name === 'current', { what: 'the feed' });
      // The database of the version that failed is kept beside the two of before the updates.
      expect(
        readdirSync(join(home.path, 'data/backups')).filter((name) => name.includes('before-restore')),
      ).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it('is watched: the former version comes back when nothing is heard of the new one', async () => {
    const folder = join(home.path, 'watched');
    mkdirSync(folder);
    const [copy, target, started] = ['copy', 'program', 'started'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(copy, `#!/bin/sh\ntouch ${started}\n`, { mode: 0o755 });
    writeFileSync(target, 'broken');
    const former = {
      version: '1',
      next: '2',
      program: target,
      copy,
      start: [target],
      backup: '',
      replacedBy: null,
      pid: 2 ** 22 + 1,
      limitMs: 300,
    };
    writeFileSync(join(folder, 'former.json'), JSON.stringify(former));

    const watcher = spawn(process.execPath, [WATCHER, folder], { stdio: 'inherit' });
    const status = await new Promise((resolve) => watcher.once('exit', resolve));
    await waitFor(() => existsSync(started), { what: 'the former version' });

    expect(status).toBe(0);
    expect(readFileSync(target, 'utf8')).toContain('touch');
    expect(JSON.parse(readFileSync(join(folder, 'went-back.json'), 'utf8'))).toEqual({
      version: '2',
      reason: 'It did not start.',
      backup: '',
    });
    expect(existsSync(join(folder, 'former.json'))).toBe(false);
  });
});
