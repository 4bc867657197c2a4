import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readRunningFile } from '../../../server/running-file.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli, runCliProcess } from '../../support/run-cli.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  'actions/waits.ts': actionSource("return (await nango.get({ endpoint: '/slow' })).status;"),
  'syncs/breaks.ts': syncSource("throw new Error('no rows');"),
};

let hub: FunctionHub;
let folder: TempHome;
beforeAll(async () => {
  folder = await createTempHome();
  hub = await startFunctionHub(FILES);
});
afterAll(async () => {
  await hub?.stop();
  await folder.remove();
});

const cli = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { cwd: folder.path, home: hub.server.home, env });
const withoutHub = (args: string[]): Promise<CliRun> => runCli(args, { cwd: folder.path, home: folder.path });

describe('homeport status', () => {
  it('says where the hub runs, its keys, and that nothing needs attention', async () => {
    const run = await cli(['status']);

    expect([run.status, run.errors]).toEqual([0, '']);
    expect(run.output).toContain(`runs at ${hub.server.url}`);
    expect(run.output).toContain(hub.server.home);
    expect(run.output).toContain(String(process.pid));
    expect(run.output).toMatch(/^dev\n {2}keys +\S+/m);
    expect(run.output).not.toContain(hub.server.secretKey);
    expect(run.output).not.toContain('attention');
  });

  it('has the same facts as JSON', async () => {
    const status = (await cli(['status', '--json'])).json();

    expect(status).toMatchObject({
      running: true,
      address: hub.server.url,
      data_folder: hub.server.home,
      pid: process.pid,
      vault: 'unlocked',
      problems: [],
    });
    const dev = status.environments.find(({ name }: { name: string }) => name === 'dev');
    expect(dev).toMatchObject({ running: [], attention: [], attention_total: 0 });
    expect(dev.keys[0]).toEqual({ id: expect.any(Number), name: expect.any(String), last_used_at: expect.anything() });
    expect(new Date(status.started_at).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('names what fails, with the reason, and what runs', async () => {
    const hub = await startFunctionHub(FILES);
    onTestFinished(() => hub.stop());
    const cli = (args: string[]): Promise<CliRun> => runCli(args, { cwd: folder.path, home: hub.server.home });
    await hub.call('POST', '/sync/start', {
      body: { syncs: ['breaks'], provider_config_key: 'acme', connection_id: 'c1' },
    });
    const failing = await waitFor(
      async () => {
        const run = await cli(['status']);
        return run.output.includes('attention') && run;
      },
      { what: 'the failure' },
    );
    expect([failing.status, failing.output]).toEqual([
      0,
      expect.stringMatching(/acme \/ breaks fails on c1: .*no rows/),
    ]);

    const { promise: isHeld, resolve: release } = Promise.withResolvers<void>();
    hub.provider.on('GET /slow', async () => {
      await isHeld;
      return { body: {} };
    });
    const run = hub.action('waits');
    const busy = await waitFor(
      async () =>
        (await cli(['status', '--json']))
          .json()
          .environments[0].running.find((one: { function: string }) => one.function === 'waits'),
      { what: 'the run' },
    );
    release();
    await run;
    expect(busy).toMatchObject({ state: 'running', type: 'action:run', integration: 'acme', connection: 'c1' });
  });

  it('exits with 3 where no hub runs', async () => {
    const run = await withoutHub(['status']);

    expect(run.status).toBe(3);
    expect(run.output).toContain(`No hub runs with the data folder ${folder.path}`);
    const json = await withoutHub(['status', '--json']);
    expect([json.status, json.json()]).toEqual([3, { running: false, address: null, data_folder: folder.path }]);
  });
});

describe('homeport open', () => {
  it('prints a link, and opens the browser that is named', async () => {
    const bin = join(folder.path, 'bin');
    await mkdir(bin);
    const browser = join(bin, 'browser');
    await writeFile(browser, `#!/bin/sh\ncp "$1" "${folder.path}/page"\n`);
    await chmod(browser, 0o755);

    const run = await cli(['open'], { BROWSER: browser, PATH: process.env['PATH'] ?? '' });

    const [link = ''] = run.output.split('\n');
    expect([run.status, run.errors]).toEqual([0, '']);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/#code=/);
    expect(await readFile(join(folder.path, 'page'), 'utf8')).toContain(`url=${link}`);
    expect((await cli(['open', '--json'])).json()).toEqual({ url: expect.any(String), opened: false });
  });

  it('says that the address is to be opened by hand when no browser opens, and where no hub runs', async () => {
    const run = await cli(['open', '--browser'], { BROWSER: join(folder.path, 'none') });
    expect([run.status, run.output]).toEqual([0, expect.stringMatching(/^http/)]);
    expect(run.errors).toContain('No browser could be opened');

    const none = await withoutHub(['open']);
    expect([none.status, none.output]).toEqual([3, '']);
    expect(none.errors).toContain('serve');
  });
});

describe('homeport stop and restart', () => {
  it('restart the hub in its own process and end it cleanly', { tags: ['slow'] }, async () => {
    const home = await createTempHome();
    const server = await startServer({ home: home.path });
    const before = await readRunningFile(home.path);
    const run = (args: string[]): Promise<CliRun> => runCliProcess(args, { cwd: folder.path, home: home.path });

    const again = await run(['restart', '--json']);

    const after = await readRunningFile(home.path);
    expect([again.status, again.errors]).toEqual([0, '']);
    expect(again.json()).toEqual({ restarted: true, address: after?.address, pid: server.pid });
    expect(after?.controlKey).not.toBe(before?.controlKey);
    // The settings of the first start, secrets included, hold.
    const list = await fetch(`${after?.address}/connections`, {
      headers: { authorization: `Bearer ${server.secretKey}` },
    });
    expect(list.status).toBe(200);

    const stopped = await run(['stop']);
    expect([stopped.status, stopped.errors]).toEqual([0, '']);
    expect(stopped.output).toContain(`the hub at ${after?.address} has stopped`);
    await waitFor(() => !isAlive(server.pid), { what: 'the end of the process' });
    expect(await readRunningFile(home.path)).toBeUndefined();

    const nothing = await run(['stop']);
    expect([nothing.status, nothing.output]).toEqual([0, '']);
    expect(nothing.errors).toContain('nothing to stop');
    const none = await run(['restart']);
    expect([none.status, none.errors]).toEqual([3, expect.stringContaining('No hub runs')]);
    await home.remove();
  });

  it('need the key of the data folder', async () => {
    const home = await createTempHome();
    const server = await startServer({ home: home.path });
    for (const headers of [{}, { 'x-homeport-control': 'guessed' }, { authorization: `Bearer ${server.secretKey}` }]) {
      const response = await fetch(`${server.url}/api/v1/control/stop`, { method: 'POST', headers });
      expect(response.status).toBe(403);
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await server.stop();
    await home.remove();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No process has this id any more.
    return false;
  }
}
