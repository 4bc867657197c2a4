// @module-tag nightly
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateIn, readAddresses } from '../../support/start-desktop.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { startScreen, whyNoScreen } from '../../support/virtual-screen.ts';
import { waitFor } from '../../support/wait-for.ts';
import { emptyHome, makePackages, writeElectronStandIn } from './packaged-program.ts';

const run = promisify(execFile);
const FPM = fileURLToPath(new URL('fpm-stand-in.mjs', import.meta.url));
const isThere = (program: string): boolean => spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;

describe.skipIf(!['dpkg-deb', 'rpmbuild', 'rpm2cpio', 'cpio', 'mksquashfs'].every(isThere))(
  'the packages of Linux',
  () => {
    let temp: TempHome;
    let out: string;
    /** The deb, unpacked as into an empty system. */
    let root: string;
    const file = (ending: string): string =>
      path.join(out, readdirSync(out).find((name) => name.endsWith(ending)) ?? '');

    beforeAll(async () => {
      temp = await createTempHome();
      out = path.join(temp.path, 'out');
      root = path.join(temp.path, 'root');
      const electron = path.join(temp.path, 'electron');
      writeElectronStandIn(electron);
      process.env['CUSTOM_FPM_PATH'] = FPM;
      process.env['HOMEPORT_UPDATE_URL'] = 'http://127.0.0.1:9';
      process.env['APPIMAGE_TOOLS_PATH'] = writeImageTools(path.join(temp.path, 'tools'));
      await makePackages(out, '--', `-c.electronDist=${electron}`, '--linux', 'deb', 'rpm', 'AppImage').finally(() => {
        delete process.env['CUSTOM_FPM_PATH'];
        delete process.env['APPIMAGE_TOOLS_PATH'];
        delete process.env['HOMEPORT_UPDATE_URL'];
      });
      await run('dpkg-deb', ['-x', file('.deb'), root]);
    }, 300_000);
    afterAll(() => temp.remove());

    it('say what they need, and give Chromium its sandbox when they are installed', async () => {
      const { stdout: depends } = await run('dpkg-deb', ['-f', file('.deb'), 'Depends']);
      await run('dpkg-deb', ['-e', file('.deb'), path.join(temp.path, 'control')]);
      const script = readFileSync(path.join(temp.path, 'control/postinst'), 'utf8');
      const { stdout: requires } = await run('rpm', ['-qp', '--requires', file('.rpm')]);

      for (const name of ['libgtk-3-0', 'libnss3', 'libsecret-1-0', 'libgbm1', 'libasound2'])
        expect(depends).toContain(name);
      for (const name of ['gtk3', 'nss', 'libsecret', 'mesa-libgbm', 'alsa-lib']) expect(requires).toContain(name);
      expect(script).toContain('/opt/Homeport/chrome-sandbox');
      expect(script).toContain('/etc/apparmor.d');
      const profile = readFileSync(path.join(root, 'opt/Homeport/resources/apparmor-profile'), 'utf8');
      expect(profile).toContain('profile "homeport-desktop" "/opt/Homeport/homeport-desktop.bin" flags=(unconfined)');
    });

    it('are in the menu of the desktop, for links and files of the app', () => {
      const folder = path.join(root, 'usr/share/applications');
      const [name = ''] = readdirSync(folder);
      const entry = readFileSync(path.join(folder, name), 'utf8');

      expect(entry).toContain('Exec=/opt/Homeport/homeport-desktop %U');
      expect(entry).toContain('MimeType=application/x-homeport;x-scheme-handler/homeport;');
      // A desktop finds the entry of a window by this name.
      expect(entry).toContain(`StartupWMClass=${name.replace('.desktop', '')}`);
    });

    it('have the same files, beside what kind of package each is', async () => {
      const list = async (command: string): Promise<string[]> => {
        const { stdout } = await run('/bin/sh', ['-c', command], { maxBuffer: 100_000_000 });
        return stdout
          .split('\n')
          .map((line) => line.replace(/^.*? \.\/|^\.\//, '').replace(/\/$/, ''))
          .filter((line) => line.startsWith('opt/Homeport/'))
          .sort();
      };

      const inDeb = await list(`dpkg-deb -c '${file('.deb')}'`);
      const inRpm = await list(`rpm2cpio '${file('.rpm')}' | cpio -t --quiet`);
      expect(inDeb.length).toBeGreaterThan(500);
      expect(inRpm).toEqual(inDeb);
      expect(readFileSync(path.join(root, 'opt/Homeport/resources/package-type'), 'utf8')).toBe('deb');
    });

    it.skipIf(whyNoScreen())('open their window from an empty home, with their own server', () =>
      opensWindow(path.join(root, 'opt/Homeport/homeport-desktop')),
    );

    it.skipIf(process.getuid?.() !== 0 || whyNoScreen())(
      'is installed from the rpm into an empty system, opens its window there, and is removed whole',
      async () => {
        const system = path.join(temp.path, 'system');
        // What rpm and the scripts of the package call. There is no `unshare`, as where user namespaces are forbidden.
        for (const name of ['sh', 'bash', 'ln', 'rm', 'cp', 'chmod', 'readlink']) await copyProgram(name, system);
        const rpm = (...args: string[]) => run('rpm', ['--root', system, ...args]);
        await rpm('-i', '--nodeps', file('.rpm'));

        const program = path.join(system, 'opt/Homeport/homeport-desktop');
        expect(readlinkSync(path.join(system, 'usr/bin/homeport-desktop'))).toBe('/opt/Homeport/homeport-desktop');
        expect(statSync(path.join(path.dirname(program), 'chrome-sandbox')).mode & 0o7777).toBe(0o4755);
        await opensWindow(program);
        const { stdout } = await rpm('-V', '--nodeps', 'homeport').catch((failed: { stdout: string }) => failed);
        expect(stdout.split('\n').filter((line) => line && !line.endsWith('/opt/Homeport/chrome-sandbox'))).toEqual([]);
        await rpm('-e', '--nodeps', 'homeport');
        expect([existsSync(program), existsSync(path.join(system, 'usr/bin/homeport-desktop'))]).toEqual([
          false,
          false,
        ]);
      },
    );

    it.skipIf(whyNoScreen())('open it from the AppImage, whose entry in a menu keeps the sandbox', async () => {
      await opensWindow(file('.AppImage'));
      const [folder = ''] = readdirSync(temp.path).filter((name) => name.startsWith('mounted-'));
      const entry = readFileSync(path.join(temp.path, folder, 'root/app.homeport.Homeport.desktop'), 'utf8');

      expect(entry).toMatch(/^Exec=AppRun %U$/m);
    });

    async function opensWindow(program: string): Promise<void> {
      const screen = await startScreen();
      const folder = mkdtempSync(path.join(temp.path, 'window-'));
      const control = path.join(folder, 'control');
      const env = {
        ...(await emptyHome(folder)),
        DISPLAY: screen.display,
        MOUNTS: temp.path,
        HOMEPORT_TYPE_CHECK: '0',
        HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
        HOMEPORT_STAND_IN_CONTROL: control,
      };
      // Chromium's rule for root: the machine of the tests may be used by root.
      const app = spawn(program, ['--no-sandbox'], { env, stdio: 'ignore' });
      const ended = new Promise((resolve) => app.once('exit', resolve));
      try {
        const address = await waitFor(() => readAddresses(control)[0], { what: 'the app' });
        const page = () =>
          evaluateIn(address, async ({ app: shell, BrowserWindow }) => {
            const [window] = BrowserWindow.getAllWindows();
            const state = await window?.webContents.executeJavaScript('homeport.getServerState()');
            return { isPackaged: shell.isPackaged, state: state.name, url: window?.webContents.getURL() ?? '' };
          });
        await waitFor(async () => (await page()).url.endsWith('/app/welcome'), { what: 'the first page' });

        expect(await page()).toMatchObject({ isPackaged: true, state: 'ready' });
      } finally {
        app.kill('SIGTERM');
        await ended;
        await screen.end();
      }
    }
  },
);

const RUNTIME_BYTES = 4096;

/**
 * What electron-builder downloads for an AppImage, of this system. The runtime at the beginning of the file unpacks the rest
 * instead of mounting it.
 */
function writeImageTools(folder: string): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const runtime = `#!/bin/sh
APPIMAGE=$(readlink -f "$0") APPDIR=$(mktemp -d "$MOUNTS/mounted-XXXXXX")/root
export APPIMAGE APPDIR
unsquashfs -quiet -no-progress -offset ${RUNTIME_BYTES} -dest "$APPDIR" "$APPIMAGE" || exit 1
exec "$APPDIR/AppRun" "$@"
`;
  mkdirSync(path.join(folder, 'lib', arch), { recursive: true });
  mkdirSync(path.join(folder, 'runtimes'));
  writeFileSync(path.join(folder, 'runtimes', `runtime-${arch}`), runtime.padEnd(RUNTIME_BYTES, '\n'));
  writeFileSync(path.join(folder, 'mksquashfs'), '#!/bin/sh\nexec mksquashfs "$@"\n', { mode: 0o755 });
  writeFileSync(path.join(folder, 'desktop-file-validate'), '#!/bin/sh\n', { mode: 0o755 });
  return folder;
}

/** A program of this system with the libraries that it loads, at the same places below `system`. */
async function copyProgram(name: string, system: string): Promise<void> {
  const { stdout: found } = await run('/bin/sh', ['-c', `command -v ${name}`]);
  const program = found.trim();
  const { stdout } = await run('ldd', [program]);
  const libraries = stdout.match(/\/\S+/g) ?? [];
  for (const one of [program, ...libraries]) {
    mkdirSync(path.join(system, path.dirname(one)), { recursive: true });
    copyFileSync(one, path.join(system, one));
  }
  if (name === 'sh') {
    mkdirSync(path.join(system, 'bin'), { recursive: true });
    copyFileSync(program, path.join(system, 'bin/sh'));
  }
}
