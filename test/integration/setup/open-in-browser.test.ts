// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../server/cli/hub/open-browser.ts';
import { serverEnvironment } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const START = fileURLToPath(new URL('../../../build/scripts/start.mjs', import.meta.url));
const LINK = 'http://127.0.0.1:3003/app/#code=canary-code';

let folder: TempHome;
beforeEach(async () => {
  folder = await createTempHome();
});
afterEach(() => folder.remove());

/** A browser that records its arguments. */
async function installBrowser(): Promise<string> {
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  const opener = join(bin, 'xdg-open');
  await writeFile(
    opener,
    `#!/bin/sh\nprintf '%s' "$*" > "${folder.path}/seen.part"\nmv "${folder.path}/seen.part" "${folder.path}/seen"\n`,
  );
  await chmod(opener, 0o755);
  return bin;
}

describe.runIf(process.platform === 'linux')('opening the dashboard in a browser', () => {
  it('keeps the sign-in code out of arguments: a private file of the data folder leads there', async () => {
    const home = join(folder.path, 'home');
    await mkdir(home);
    await writeFile(join(home, 'sign-in-00ff.html'), 'of an earlier call');
    const env = { ...process.env, PATH: `${await installBrowser()}:${process.env['PATH']}` };

    expect(await openBrowser({ url: LINK, folder: home, env })).toBe(true);

    const opened = await readFile(join(folder.path, 'seen'), 'utf8');
    expect(opened).toMatch(/home\/sign-in-[0-9a-f]{16}\.html$/);
    expect(await readdir(home)).toHaveLength(1);
    expect((await stat(opened)).mode & 0o777).toBe(0o600);
    expect(await readFile(opened, 'utf8')).toContain(`content="0; url=${LINK}"`);
  });

  it('takes the browser that BROWSER names, and says when there is none', async () => {
    const named = join(await installBrowser(), 'xdg-open');
    const open = (BROWSER: string): Promise<boolean> =>
      openBrowser({ url: LINK, folder: folder.path, env: { PATH: process.env['PATH'], BROWSER } });

    expect(await open(`${named} --new-window`)).toBe(true);
    expect(await readFile(join(folder.path, 'seen'), 'utf8')).toMatch(/^--new-window .*sign-in-/);
    expect(await open(join(folder.path, 'no-such-browser'))).toBe(false);
    expect(await open('false')).toBe(false);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('sign-in-'))).toEqual([]);
  });

  it('is what `npm start` does where there is no screen for a window, and it says so', async () => {
    const home = join(folder.path, 'home');
    const child = spawn(process.execPath, [START], {
      // An empty home and no display, as in a container.
      env: serverEnvironment(home, { HOME: folder.path, PATH: `${await installBrowser()}:${process.env['PATH']}` }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));

    try {
      const opened = await waitFor(() => readFile(join(folder.path, 'seen'), 'utf8'), { what: 'the browser' });

      expect(output).toContain('There is no screen for the desktop window; the dashboard opens in the browser.');
      const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/app\/\S*/.exec(output) ?? [];
      expect(link).not.toBe('');
      expect(await readFile(opened, 'utf8')).toMatch(/content="0; url=http:\/\/127\.0\.0\.1:\d+\/app\//);
      expect((await fetch(new URL('/health', link))).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  });
});
