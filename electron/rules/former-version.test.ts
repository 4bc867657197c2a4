import { describe, expect, it } from 'vitest';
import { afterUpdate, type FormerVersion, replaceableProgram, type StartMark } from './former-version.ts';

const former: FormerVersion = {
  version: '0.1.0',
  next: '0.2.0',
  program: '/home/me/Homeport.AppImage',
  copy: '/copy',
  start: ['/home/me/Homeport.AppImage'],
  backup: '/backup.db',
  replacedBy: null,
  pid: 1,
  limitMs: 1000,
};
const mark = (state: StartMark['state'], version = '0.2.0'): StartMark => ({ version, pid: 2, state, reason: 'No.' });

describe('what an update replaces', () => {
  it.each([
    ['an AppImage', 'linux', '/tmp/.mount/homeport', '/home/me/H.AppImage', '/home/me/H.AppImage'],
    [
      'the app of a Mac',
      'darwin',
      '/Applications/Homeport.app/Contents/MacOS/Homeport',
      undefined,
      '/Applications/Homeport.app',
    ],
    ['a folder on Windows', 'win32', 'C:\\Programs\\Homeport\\Homeport.exe', undefined, 'C:\\Programs\\Homeport'],
  ] as const)('can be put back: %s', (_what, platform, executable, appImage, program) => {
    expect(replaceableProgram({ platform, executable, appImage })?.program).toBe(program);
  });

  it('belongs to the package manager in deb and rpm', () => {
    expect(
      replaceableProgram({ platform: 'linux', executable: '/opt/Homeport/homeport', appImage: undefined }),
    ).toBeUndefined();
  });
});

describe('the watch over an update', () => {
  it.each([
    ['waits for the first sign', undefined, false, 999, 'wait'],
    ['goes back when there is none', undefined, false, 1000, { back: 'It did not start.' }],
    ['waits as long as the new version lives', mark('starting'), true, 999_999, 'wait'],
    ['goes back when it ended while starting', mark('starting'), false, 1, { back: 'It ended while it was starting.' }],
    ['waits until a version that failed has ended', mark('failed'), true, 1, 'wait'],
    ['goes back when it failed', mark('failed'), false, 1, { back: 'No.' }],
    ['ends when it runs', mark('ready'), true, 1, 'done'],
    ['takes no sign of an earlier update', mark('ready', '0.1.9'), true, 1, 'wait'],
  ] as const)('%s', (_what, found, isAlive, waitedMs, next) => {
    expect(afterUpdate({ former, mark: found, isAlive, waitedMs })).toEqual(next);
  });
});
