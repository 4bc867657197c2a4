// @module-tag slow
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { copyDesktopScripts } from '../../../build/scripts/package/program-files.mjs';
import { waitFor } from '../../support/wait-for.ts';
import { watchedStarts } from './watched-start.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LAUNCHER = join(ROOT, 'build/resources/launchers/homeport-desktop');
const NO_SANDBOX = `#!/bin/sh
echo 'The SUID sandbox helper binary was found, but is not configured correctly.' >&2
kill -TRAP $$
`;
const WITH_WINDOW = `#!/bin/sh
echo '{"hasWindow":true}' >> "$HOMEPORT_WINDOW_REPORT"
`;

const starts = watchedStarts();
const { openedPage, address, isHealthy, opensNothing, output } = starts;

/** The unpacked package with this program in the place of the window's, in a folder that a person has named. */
function unpack(program: string | Buffer): string {
  const folder = join(starts.path(), 'My apps/Homeport');
  const resources = join(folder, 'resources');
  mkdirSync(join(resources, 'runtime/bin'), { recursive: true });
  symlinkSync(process.execPath, join(resources, 'runtime/bin/node'));
  symlinkSync(join(ROOT, 'dist'), join(resources, 'dist'));
  copyDesktopScripts(resources);
  copyFileSync(LAUNCHER, join(folder, 'homeport-desktop'));
  writeFileSync(join(folder, 'homeport-desktop.bin'), program);
  chmodSync(join(folder, 'homeport-desktop.bin'), 0o755);
  return folder;
}

/** As a person who may use the desktop: Chromium's rule for root is tested by itself. */
function start(folder: string, args: string[] = [], env: Record<string, string> = {}): ChildProcess {
  return starts.run(join(folder, 'homeport-desktop'), ['--no-sandbox', ...args], env);
}

describe.runIf(process.platform === 'linux')('the desktop app of a package for Linux', () => {
  it('opens the browser and tells the mend when Chromium gets no sandbox', { tags: ['main-path'] }, async () => {
    const folder = unpack(NO_SANDBOX);
    start(folder);

    expect(await readFile(await openedPage(), 'utf8')).toContain(`${address()}/app/`);
    expect(await isHealthy()).toBe(true);
    const helper = `'${folder}/chrome-sandbox'`;
    expect(output()).toContain(`(to have it: sudo chown root:root ${helper} && sudo chmod 4755 ${helper})`);
    expect(output()).toMatch(
      /^The desktop window did not open: Chromium's sandbox.*the dashboard opens in the browser\.$/m,
    );
  });

  it('names the libraries that are missing, and the command that installs them', async () => {
    // A real program whose library is not there: the real loader and the real ldd speak.
    const shell = readFileSync('/bin/sh');
    shell.write('libq', shell.indexOf('libc.so.6'), 'latin1');
    const folder = unpack(shell);
    await starts.install('apt-get', '#!/bin/sh\n');
    start(folder);

    await openedPage();
    expect(await isHealthy()).toBe(true);
    expect(output()).toMatch(/a library of the system is missing: libq\.so\.6 \(to have it: sudo apt-get install lib/);
    expect(output()).toContain(`, then '${folder}/homeport-desktop')`);
  });

  it.runIf(process.getuid?.() === 0)('tries no window for root', async () => {
    starts.run(join(unpack('#!/bin/sh\necho electron\n'), 'homeport-desktop'), []);

    await openedPage();
    expect(await isHealthy()).toBe(true);
    expect(output()).toContain('The desktop window does not open for root (start Homeport as another user to have it)');
    expect(output()).not.toContain('electron');
  });

  it('tries no window where there is no screen', { tags: ['nightly'] }, async () => {
    start(unpack('#!/bin/sh\necho electron\n'), [], { DISPLAY: '', WAYLAND_DISPLAY: '' });

    await openedPage();
    expect(await isHealthy()).toBe(true);
    expect(output()).toContain('There is no screen for the desktop window; the dashboard opens in the browser.');
    expect(output()).not.toContain('electron');
  });

  it('ends a window that does not come, and tells the desktop why, which shows no terminal', async () => {
    const told = join(starts.path(), 'told');
    await starts.install('notify-send', `#!/bin/sh\necho "$*" > '${told}'\n`);
    start(unpack('#!/bin/sh\nexec sleep 600\n'), [], { HOMEPORT_WINDOW_LIMIT_MS: '500' });

    await openedPage();
    expect(await isHealthy()).toBe(true);
    expect(readFileSync(told, 'utf8')).toMatch(
      /^--app-name=Homeport Homeport The desktop window did not open: it did not/,
    );
  });

  it('passes arguments on, and ends with the window, when it is started by a link to it', async () => {
    const folder = unpack(`${WITH_WINDOW}echo "$0" "$@"\nexit 0\n`);
    symlinkSync(join(folder, 'homeport-desktop'), join(starts.path(), 'bin/homeport-desktop'));
    const app = starts.run('homeport-desktop', ['--no-sandbox', 'homeport://open/dev/logs'], {
      // Not for the Node of the package.
      NODE_OPTIONS: '--no-such-option',
    });

    const [status] = await once(app, 'exit');
    expect([status, await opensNothing()]).toEqual([0, true]);
    expect(output()).toBe(`${folder}/homeport-desktop.bin --no-sandbox homeport://open/dev/logs\n`);
  });

  it('starts the window again that asks for it', { tags: ['nightly'] }, async () => {
    const count = join(starts.path(), 'count');
    const app = start(unpack(`${WITH_WINDOW}echo x >> '${count}'\n[ $(wc -l < '${count}') = 1 ] && exit 75\nexit 0\n`));

    const [status] = await once(app, 'exit');
    expect([status, readFileSync(count, 'utf8')]).toEqual([0, 'x\nx\n']);
  });

  it('finds the hub of the first start at the second one, and ends', { tags: ['nightly'] }, async () => {
    const folder = unpack(NO_SANDBOX);
    start(folder);
    await openedPage();
    const first = address();
    rmSync(join(starts.path(), 'seen'));
    const again = start(folder);

    const [status] = await once(again, 'exit');
    expect(status).toBe(0);
    expect(await readFile(await openedPage(), 'utf8')).toContain(`${first}/app/`);
  });

  it('opens no page at the login to the computer', { tags: ['nightly'] }, async () => {
    start(unpack(NO_SANDBOX), ['--hidden']);

    await waitFor(async () => address() !== '' && (await isHealthy()), { what: 'the server' });
    expect(await opensNothing()).toBe(true);
  });

  it('leaves an update that does not start to what puts the former version back', async () => {
    const kept = join(starts.path(), '.config/Homeport Desktop/former-version');
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, 'former.json'), '{}');
    const app = start(unpack(NO_SANDBOX));

    const [status] = await once(app, 'exit');
    expect([status, await opensNothing(), existsSync(join(starts.path(), 'home'))]).toEqual([1, true, false]);
    expect(output()).not.toContain('the dashboard opens');

    // The computer went down meanwhile: nothing waits any more.
    utimesSync(join(kept, 'former.json'), 1, 1);
    start(join(starts.path(), 'My apps/Homeport'));
    expect(await readFile(await openedPage(), 'utf8')).toContain(`${address()}/app/`);
  });

  it('says in the line of a self-check why there was no window', async () => {
    const app = start(unpack(NO_SANDBOX), [`--self-check=${join(starts.path(), 'line')}`]);

    const [status] = await once(app, 'exit');
    const line =
      output()
        .split('\n')
        .find((one) => one.startsWith('{')) ?? '';
    expect(status).toBe(1);
    expect(JSON.parse(line).checks[0]).toMatchObject({
      name: 'start',
      ok: false,
      detail: expect.stringContaining('chmod'),
    });
  });

  it('says aloud that an AppImage gave up the sandbox', { tags: ['nightly'] }, async () => {
    const image = join(starts.path(), 'Homeport.AppImage');
    const app = start(unpack(`${WITH_WINDOW}exit 0\n`), [], { APPIMAGE: image });

    await once(app, 'exit');
    expect(output()).toContain(
      'Chromium runs without its sandbox: an AppImage gives it up where the system allows none.',
    );
  });

  it.skipIf(spawnSync('shellcheck', ['--version']).error)('has launchers without a finding of shellcheck', () => {
    const { stdout, status } = spawnSync('shellcheck', [LAUNCHER, join(ROOT, 'build/resources/launchers/homeport')]);

    expect([status, String(stdout)]).toEqual([0, '']);
  });
});
