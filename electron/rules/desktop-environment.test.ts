import { describe, expect, it } from 'vitest';
import { givesUpGraphics, isOnDiskImage, isWayland, startsHidden, updateObstacle } from './desktop-environment.ts';
import { type NoticeFacts, shellNotices } from './shell-notices.ts';

describe('Wayland', () => {
  it.each([
    [{ XDG_SESSION_TYPE: 'wayland' }, [], true],
    [{ WAYLAND_DISPLAY: 'wayland-0' }, [], true],
    [{ XDG_SESSION_TYPE: 'wayland' }, ['--ozone-platform=x11'], false],
    [{ XDG_SESSION_TYPE: 'x11', DISPLAY: ':0' }, [], false],
  ])('is known by %j and %j', (env, argv, answer) => {
    expect(isWayland({ platform: 'linux', env, argv })).toBe(answer);
    expect(isWayland({ platform: 'darwin', env, argv })).toBe(false);
  });
});

describe('a start at login', () => {
  const start = { argv: ['homeport'], startsAtLogin: true, wasOpenedAtLogin: false, uptimeSeconds: 5000 };

  it.each([
    ['the argument, on Windows and Linux', { platform: 'win32' as const, argv: ['homeport', '--hidden'] }, true],
    ['what macOS says', { platform: 'darwin' as const, wasOpenedAtLogin: true }, true],
    ['a Mac that was started just now', { platform: 'darwin' as const, uptimeSeconds: 40 }, true],
    [
      'a Mac that was started just now, when the app does not start at login',
      { platform: 'darwin' as const, uptimeSeconds: 40, startsAtLogin: false },
      false,
    ],
    ['a start by hand', { platform: 'darwin' as const }, false],
    ['a Linux that was started just now', { platform: 'linux' as const, uptimeSeconds: 40 }, false],
  ])('is hidden by %s: %#', (_what, facts, answer) => {
    expect(startsHidden({ ...start, ...facts })).toBe(answer);
  });
});

describe('a place of the app', () => {
  it('is lost at the next start on a disk image and after translocation', () => {
    expect(isOnDiskImage('darwin', '/Volumes/Homeport 0.1.0/Homeport.app/Contents/MacOS/Homeport')).toBe(true);
    expect(
      isOnDiskImage('darwin', '/private/var/folders/x/AppTranslocation/1/d/Homeport.app/Contents/MacOS/Homeport'),
    ).toBe(true);
    expect(isOnDiskImage('darwin', '/Applications/Homeport.app/Contents/MacOS/Homeport')).toBe(false);
    expect(isOnDiskImage('linux', '/Volumes/homeport')).toBe(false);
  });
});

describe('an update', () => {
  const facts = {
    platform: 'linux' as NodeJS.Platform,
    program: '/opt/Homeport/homeport-desktop',
    appImage: undefined as string | undefined,
    hasPackageType: false,
    canWrite: () => true,
  };

  it.each([
    ['a deb or rpm', { hasPackageType: true }, undefined],
    ['an AppImage', { appImage: '/home/a/Homeport.AppImage' }, undefined],
    ['an AppImage that cannot be written', { appImage: '/opt/H.AppImage', canWrite: () => false }, 'cannot be written'],
    ['a tar.gz', {}, 'tar.gz'],
    ['Windows', { platform: 'win32' as const }, undefined],
    [
      'macOS',
      { platform: 'darwin' as const, program: '/Applications/Homeport.app/Contents/MacOS/Homeport' },
      undefined,
    ],
    [
      'a disk image',
      { platform: 'darwin' as const, program: '/Volumes/H/Homeport.app/Contents/MacOS/Homeport' },
      'Applications',
    ],
  ])('of %s is offered, or refused with a reason', (_what, change, text) => {
    const obstacle = updateObstacle({ ...facts, ...change });
    if (text === undefined) expect(obstacle).toBeUndefined();
    else expect(obstacle).toContain(text);
  });
});

describe('the graphics card', () => {
  it.each([
    ['one crash', [{ at: 0, reason: 'crashed' }], false],
    [
      'two crashes close together',
      [
        { at: 0, reason: 'crashed' },
        { at: 30_000, reason: 'oom' },
      ],
      true,
    ],
    [
      'two crashes of different hours',
      [
        { at: 0, reason: 'crashed' },
        { at: 3_600_000, reason: 'crashed' },
      ],
      false,
    ],
    ['a process that cannot start', [{ at: 0, reason: 'launch-failed' }], true],
    [
      'ends of the app',
      [
        { at: 0, reason: 'clean-exit' },
        { at: 1, reason: 'killed' },
      ],
      false,
    ],
  ])('is kept or given up after %s', (_what, failures, answer) => {
    expect(givesUpGraphics(failures)).toBe(answer);
  });
});

describe('the notices of the settings', () => {
  const fine: NoticeFacts = {
    platform: 'linux',
    isWayland: false,
    shortcut: { wanted: 'CommandOrControl+Shift+H', isRefused: false },
    hasTray: true,
    usesGraphicsCard: true,
    isSandboxed: true,
    isAppImage: false,
    isOnDiskImage: false,
    updateObstacle: undefined,
  };
  const ids = (change: Partial<NoticeFacts>) => shellNotices({ ...fine, ...change }).map(({ id }) => id);

  it('are silent where everything works', () => {
    expect(shellNotices(fine)).toEqual([]);
  });

  it.each([
    ['a refused shortcut', { shortcut: { wanted: 'F1', isRefused: true } }, ['shortcut']],
    ['no shortcut', { shortcut: { wanted: null, isRefused: false }, isWayland: true }, []],
    ['Wayland', { isWayland: true }, ['shortcut']],
    ['no tray', { hasTray: false }, ['tray']],
    ['no graphics card', { usesGraphicsCard: false }, ['graphics']],
    ['an AppImage without sandbox', { isSandboxed: false, isAppImage: true }, ['sandbox']],
    ['a disk image', { isOnDiskImage: true, updateObstacle: 'Move it.' }, ['location']],
    ['no updates', { updateObstacle: 'This package does not update itself.' }, ['updates']],
  ])('tell of %s', (_what, change, expected) => {
    expect(ids(change)).toEqual(expected);
  });
});
