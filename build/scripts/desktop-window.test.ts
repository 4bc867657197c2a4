import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { browserSentence, chooseWindow } from './desktop-window.mjs';
// @ts-expect-error a plain script without types: it has to run on any Node
import { windowProblem } from './window-problem.mjs';

const DESK = { args: [], env: { DISPLAY: ':0' }, platform: 'linux', userId: 1000 };

describe('the choice between window and browser', () => {
  it.each([
    ['a person with a screen', DESK, { isWanted: true }],
    ['a Wayland desktop', { ...DESK, env: { WAYLAND_DISPLAY: 'wayland-0' } }, { isWanted: true }],
    ['macOS', { ...DESK, env: {}, platform: 'darwin' }, { isWanted: true }],
    ['--browser', { ...DESK, args: ['--browser'] }, { isWanted: false }],
    ['the variable', { ...DESK, env: { DISPLAY: ':0', HOMEPORT_WINDOW: 'browser' } }, { isWanted: false }],
    ['no screen', { ...DESK, env: {} }, { isWanted: false, reason: expect.stringContaining('no screen') }],
    ['root', { ...DESK, userId: 0 }, { isWanted: false, reason: expect.stringContaining('root') }],
  ])('is right for %s', (_what, facts, choice) => {
    expect(chooseWindow(facts)).toEqual(choice);
  });

  it('refuses a value that it does not know', () => {
    expect(() => chooseWindow({ ...DESK, env: { HOMEPORT_WINDOW: 'tab' } })).toThrow(
      'HOMEPORT_WINDOW is "tab"; it can be "desktop" (the default) or "browser".',
    );
  });

  it('says nothing when the browser was chosen', () => {
    expect(browserSentence(undefined)).toBeUndefined();
    expect(browserSentence('there is no screen for the desktop window')).toBe(
      'There is no screen for the desktop window; the dashboard opens in the browser.',
    );
  });
});

const FACTS = {
  program: '/e/dist/electron',
  command: (more?: string) => (more === undefined ? 'npm start' : `npm start -- ${more}`),
  env: { PATH: '/usr/bin' },
};

describe('the reason why no window came up', () => {
  it.each([
    [
      'FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured correctly.',
      "sudo chown root:root '/e/dist/chrome-sandbox' && sudo chmod 4755 '/e/dist/chrome-sandbox'",
    ],
    ['FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+', 'chmod 4755'],
    ['Running as root without --no-sandbox is not supported. See https://crbug.com/638180.', 'as another user'],
    [
      'electron: error while loading shared libraries: libnss3.so: cannot open shared object file: No such file',
      'libnss3.so (to have it: ',
    ],
    ["./electron: /lib/libc.so.6: version `GLIBC_2.34' not found", 'Electron does not run on this system'],
    ['spawn /e/dist/electron EACCES', 'Electron does not run on this system'],
    ['ERROR:ozone_platform_x11.cc(244)] Missing X server or $DISPLAY', 'the screen cannot be opened'],
    ["FATAL:gpu_data_manager_impl_private.cc(448)] GPU process isn't usable. Goodbye.", 'npm start -- --disable-gpu'],
    [
      'something else',
      'Electron ended with SIGSEGV (to have it: npm start -- --disable-gpu, or npm start -- --browser)',
    ],
  ])('is told with the command that mends it: %s', (errors, text) => {
    expect(windowProblem({ errors, end: 'Electron ended with SIGSEGV', ...FACTS })).toContain(text);
  });

  it('is told for an AppImage, whose own helper of the sandbox nobody can change', () => {
    const errors = 'FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!';
    const facts = { ...FACTS, env: { APPIMAGE: '/a/H.AppImage' }, command: (more = '') => `/a/H.AppImage ${more}` };

    expect(windowProblem({ errors, end: '', ...facts })).toMatch(
      /\(to have it: the deb or rpm package, or without a sandbox: \/a\/H\.AppImage --no-sandbox\)$/,
    );
  });

  it.each([
    ['apt-get', 'sudo apt-get install libgtk-3-0'],
    ['dnf', 'sudo dnf install gtk3'],
    ['none', 'install GTK 3, NSS, GBM and ALSA'],
  ])('installs libraries by what this system has: %s', async (installer, text) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'homeport-installer-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(path.join(folder, installer), '', { mode: 0o755 });
    const errors = 'electron: error while loading shared libraries: libnss3.so: cannot open shared object file';

    expect(
      windowProblem({ errors, end: '', ...FACTS, libraries: ['libnss3.so', 'libgbm.so.1'], env: { PATH: folder } }),
    ).toContain(`a library of the system is missing: libnss3.so, libgbm.so.1 (to have it: ${text}`);
  });
});
