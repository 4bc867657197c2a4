// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SERVER_ENTRY, serverEnvironment } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { watchedStarts } from './watched-start.ts';

const START = fileURLToPath(new URL('../../../build/scripts/start.mjs', import.meta.url));

/** An app with a server and without a window: it tells of the server, as the desktop shell does. */
const WINDOWLESS = `
const { spawn } = require('node:child_process');
const { appendFileSync } = require('node:fs');
const report = (facts) => appendFileSync(process.env.HOMEPORT_WINDOW_REPORT, JSON.stringify(facts) + '\\n');
const server = spawn(process.env.HOMEPORT_RUNTIME, [${JSON.stringify(SERVER_ENTRY)}], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
report({ serverPid: server.pid });
server.on('message', (message) => {
  if (message.type !== 'ready') return;
  report({ dataFolder: message.dataFolder });
  console.log('address ' + message.address);
});
`;

const starts = watchedStarts();
const { openedPage, address, isHealthy, opensNothing, output } = starts;

/** `npm start` on a computer with a screen and this program as its Electron. */
async function start(program: string, env: Record<string, string> = {}, args: string[] = []): Promise<ChildProcess> {
  await starts.install('electron', program);
  // Chromium's rule for root is not tested here; the machine of the tests may be used by root.
  return starts.run(process.execPath, [START, '--no-sandbox', ...args], {
    ELECTRON_OVERRIDE_DIST_PATH: join(starts.path(), 'bin'),
    ...env,
  });
}

describe.runIf(process.platform === 'linux')('`npm start` with Electron', () => {
  it('opens the browser and tells the mend when Electron ends at once', async () => {
    await start(`#!/bin/sh
echo 'The SUID sandbox helper binary was found, but is not configured correctly.' >&2
kill -TRAP $$
`);

    expect(await readFile(await openedPage(), 'utf8')).toContain(`${address()}/app/`);
    expect(await isHealthy()).toBe(true);
    expect(output()).toMatch(/^The desktop window did not open: Chromium's sandbox.*sudo chown root:root.*browser\.$/m);
  });

  it('ends an Electron that does nothing, and opens the browser', async () => {
    await start('#!/bin/sh\nexec sleep 600\n', { HOMEPORT_WINDOW_LIMIT_MS: '500' });

    await openedPage();
    expect(await isHealthy()).toBe(true);
    expect(output()).toContain('it did not come up within 0.5 s');
  });

  it('keeps a server whose window does not come, and starts another when its app crashes', async () => {
    const program = `#!${process.execPath}\n${WINDOWLESS}console.log('pid ' + process.pid);`;
    await start(program, { HOMEPORT_WINDOW_LIMIT_MS: '8000' });

    await openedPage();
    expect(await isHealthy()).toBe(true);
    const first = address();
    process.kill(Number(/pid (\d+)/.exec(output())?.[1]), 'SIGKILL');
    starts.forget();
    await waitFor(async () => address() !== '' && (await isHealthy()), { what: 'the next server' });
    expect(address()).not.toBe(first);
    expect(output()).toContain('The desktop window is gone: Electron ended with SIGKILL');
  });

  it.each([
    ['its window was there and a person quits', `{"hasWindow":true}`],
    ['another one runs already', `{"isQuitting":true}`],
  ])('ends with it, without a browser, when %s', async (_what, report) => {
    const app = await start(`#!/bin/sh\necho '${report}' >> "$HOMEPORT_WINDOW_REPORT"\nsleep 0.3\n`);

    const [status] = await once(app, 'exit');
    expect([status, await opensNothing(), output()]).toEqual([0, true, '']);
  });

  it('starts the app again that asks for it', async () => {
    const count = join(starts.path(), 'count');
    const app = await start(`#!/bin/sh
echo '{"hasWindow":true}' >> "$HOMEPORT_WINDOW_REPORT"
echo "$*" >> ${count}
[ $(wc -l < ${count}) = 1 ] && exit 75
exit 0
`);

    const [status] = await once(app, 'exit');
    expect(status).toBe(0);
    expect((await readFile(count, 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  it('passes the end on to Electron, and ends with it', async () => {
    const app = await start(`#!/bin/sh
trap 'exit 0' TERM
echo '{"hasWindow":true}' >> "$HOMEPORT_WINDOW_REPORT"
echo started
while true; do sleep 0.1; done
`);
    await waitFor(() => output().includes('started'), { what: 'the app' });
    app.kill('SIGTERM');

    const [status] = await once(app, 'exit');
    expect([status, await opensNothing()]).toEqual([0, true]);
  });

  it('says in the line of a self-check why there was none', async () => {
    const app = await start("#!/bin/sh\necho 'No usable sandbox!' >&2\nexit 1\n", {}, ['--self-check']);
    const [status] = await once(app, 'exit');

    expect([status, await opensNothing()]).toEqual([1, true]);
    const line =
      output()
        .split('\n')
        .find((one) => one.startsWith('{')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      ok: false,
      checks: [{ name: 'start', ok: false, detail: expect.stringContaining('sudo chown root:root') }],
    });
  });

  it('starts no Electron where the browser was chosen', async () => {
    await start('#!/bin/sh\necho electron >&2\n', { HOMEPORT_WINDOW: 'browser' });

    await openedPage();
    expect(output()).not.toContain('electron');
    expect(output()).not.toContain('desktop window');
  });

  it('leaves no server behind whose app ended while it started', async () => {
    const server = spawn(process.execPath, [SERVER_ENTRY], {
      env: serverEnvironment(join(starts.path(), 'home')),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    server.disconnect();

    const [, signal] = await once(server, 'exit');
    expect(signal).toBeNull();
  });
});
