// @module-tag slow
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../electron/rules/check-report.ts';
import type { Unkind } from '../../support/fake-electron.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type BootedShell, bootShell } from './boot-shell.ts';

let shell: BootedShell;
let folder: TempHome;
afterEach(async () => {
  await shell.end();
  await folder.remove();
});

/** The line that a self-check writes, and the status with which it ends. Pages answer as the dashboard does. */
async function check(
  unkind: Unkind = {},
): Promise<{ line: string; checks: CheckResult[]; status: number | undefined }> {
  folder = await createTempHome();
  const file = join(folder.path, 'line');
  shell = await bootShell({ args: [`--self-check=${file}`], unkind });
  const { electron, home } = shell;
  // A second start ends at once; what it was given arrives here, whole: a file that is being written exists empty first.
  const second = join(home.path, 'second');
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${second}.part && mv ${second}.part ${second}\n`;
  writeFileSync(join(home.path, 'bin/electron'), script, { mode: 0o755 });
  const window = await waitFor(() => electron.windows[0], { what: 'the window' });
  window.contents.executeJavaScript = async (code) => {
    if (code.includes('/health')) return (await fetch(new URL('/health', window.contents.url))).status;
    if (code.includes('getVersion')) return electron.app.getVersion();
    return code.includes('querySelector');
  };
  void waitFor(() => existsSync(second), { what: 'the second start' }).then(() => {
    const args = readFileSync(second, 'utf8').trim().split('\n');
    electron.app.emit('second-instance', {}, ['electron', ...args], '/');
  });
  await waitFor(() => electron.app.exitStatus !== undefined, { what: 'the end of the check' });
  const line = readFileSync(file, 'utf8');
  return { line, checks: JSON.parse(line).checks, status: electron.app.exitStatus };
}

describe('the self-check of the desktop app', () => {
  it('uses every part once, says each result in one line, and leaves nothing', { tags: ['main-path'] }, async () => {
    const { line, checks, status } = await check();
    const parts = checks.map(({ name, ok }) => [name, ok === null && name === 'keychain' ? true : ok]);

    expect(parts).toEqual(
      [
        'server',
        'window',
        'dashboard',
        'health',
        'bridge',
        'menu',
        'tray',
        'shortcut',
        'notification',
        'keychain',
        'deep link',
        'second instance',
        'graphics',
        'sandbox',
        'end',
      ].map((name) => [name, true]),
    );
    expect(line.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(line)).toMatchObject({ ok: true, version: '0.0.0-test' });
    expect(status).toBe(0);
    expect(existsSync(process.env['HOMEPORT_HOME'] ?? '')).toBe(false);
    // The profile and the data of the person were not touched.
    expect(existsSync(join(shell.home.path, 'user/appData'))).toBe(false);
    expect(existsSync(join(shell.home.path, 'data'))).toBe(false);
  });

  it('calls a part absent that this desktop does not have', async () => {
    const { checks, status } = await check({ noTray: true, deafShortcuts: true, switches: ['no-sandbox'] });
    const absent = checks.filter(({ ok }) => ok === null).map(({ name }) => name);

    expect(absent).toEqual(expect.arrayContaining(['tray', 'shortcut', 'sandbox']));
    expect(status).toBe(0);
  });
});
