// @module-tag slow
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { SERVER_ENTRY, serverEnvironment, startServer } from '../../support/start-server.ts';
import { STORY_LIMIT_MS, step } from '../../support/step.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

const OWN_ENTRY = (header: string): string => `my-shop:
  display_name: My Shop
  auth_mode: API_KEY
  proxy: { base_url: "http://127.0.0.1:9", headers: { x-key: "${header}" } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }
`;

let hub: FunctionHubProcess;
/** What was printed since the last call that asked. */
let from = 0;
const printed = (): string => hub.server.errorOutput().slice(from);
const line = (text: string | RegExp): Promise<string> =>
  waitFor(
    () =>
      printed()
        .split('\n')
        .find((one) => (typeof text === 'string' ? one.includes(text) : text.test(one))),
    { what: `the line ${text}` },
  );
const save = async (path: string, text: string): Promise<void> => {
  const file = join(hub.server.workspace, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

beforeAll(async () => {
  hub = await startFunctionHubProcess(
    { 'syncs/fails.ts': syncSource("throw new Error('out of order');").replace('Item:', 'Broken:') },
    { env: { HOMEPORT_LOG_FORMAT: 'text' } },
  );
});
afterAll(() => hub?.stop());
afterEach(() => {
  from = hub.server.errorOutput().length;
});

describe('lines for the person at the terminal', () => {
  it('say which functions went live, do not compile and run again', async () => {
    await save('acme/syncs/issues.ts', syncSource('return;').replace('Item:', 'Issue:'));
    await line(/^\d\d:\d\d:\d\d · acme\/syncs\/issues\.ts is live \(version \d/);

    await save('acme/syncs/issues.ts', 'export default createSync({');
    await line(/! acme\/syncs\/issues\.ts does not compile; version .* keeps running/);
    await line(/^ +acme\/syncs\/issues\.ts:\d+:\d+ /);

    await save('acme/syncs/issues.ts', syncSource('return;').replace('Item:', 'Issue:'));
    await line(/acme\/syncs\/issues\.ts is live/);
  });

  it('say that files of the old format do not run, and name the command that turns them', async () => {
    const sentence =
      'This is the old format, in which a nango.yaml describes the functions. It does not run. "npx homeport migrate <folder of the nango.yaml>"';
    await save('acme/syncs/old-one.ts', 'export default async function fetchData(nango: any) { await nango.log(1); }');
    await line(new RegExp(`^ +acme/syncs/old-one\\.ts:1:16 ${sentence.replaceAll('.', '\\.')}`));

    await save('nango.yaml', 'integrations: {}\n');
    await line(`nango.yaml is not used: ${sentence}`);
    await rm(join(hub.server.workspace, 'nango.yaml'));
    await rm(join(hub.server.workspace, 'acme/syncs/old-one.ts'));
  });

  it('say that a sync fails, once, and that it works again', async () => {
    const trigger = () =>
      hub.call('POST', '/sync/trigger', {
        body: { provider_config_key: 'acme', connection_id: 'c1', syncs: ['fails'] },
      });
    await trigger();
    await line('The sync acme/fails (connection c1) failed: ');
    const { finishedAt: first } = await waitForSync(hub.connection, 'fails', ({ finishedAt }) => Boolean(finishedAt));
    await trigger();
    await waitForSync(hub.connection, 'fails', ({ finishedAt }) => Boolean(finishedAt) && finishedAt !== first);
    await save('acme/syncs/fails.ts', syncSource('return;').replace('Item:', 'Broken:'));
    await line('acme/syncs/fails.ts is live');
    await trigger();
    await line('The sync acme/fails (connection c1) works again');

    expect(hub.server.errorOutput().match(/The sync acme\/fails .* failed/g)).toHaveLength(1);
  });
});

it('lines for the person at the terminal name problems of files, and repeat them after a restart', {
  timeout: STORY_LIMIT_MS,
}, async () => {
  const file = join(hub.server.workspace, 'providers.yaml');
  const acme = await readFile(file, 'utf8');
  // In one step: a hub that read a half-written file would say its problems twice.
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${hub.server.home}/providers.part`, text);
    await rename(`${hub.server.home}/providers.part`, file);
  };
  const next: typeof step = (name, run) => {
    from = hub.server.errorOutput().length;
    return step(name, run);
  };
  await next('say which files are not used, and which integration is missing', async () => {
    await save('acme/bad9.ts', syncSource('return;'));
    await line('acme/bad9.ts is not used: A function must be at <integration>/syncs/<name>.ts');

    await save('acmee/syncs/typo.ts', syncSource('return;'));
    await line('acmee/syncs/typo.ts waits: there is no integration "acmee" (did you mean acme?). Create it, or rename');
    expect(printed()).not.toContain('acmee/syncs/typo.ts is live');
    expect(printed()).not.toContain('practice');
  });

  await next('say what is wrong with providers.yaml, once, and what stays in use', async () => {
    await replace(OWN_ENTRY('${apikey}') + acme);
    await line(
      'providers.yaml:4 my-shop.proxy.headers.x-key: there is no ${apikey}; did you mean ${apiKey}? The entry is left out until it is corrected',
    );

    await replace(OWN_ENTRY('${apiKey}') + acme);
    await hub.call('GET', '/providers/my-shop');
    await waitFor(async () => (await hub.call('GET', '/providers/my-shop')).status === 200, { what: 'my-shop' });
    from = hub.server.errorOutput().length;
    await replace(OWN_ENTRY('${apikey}') + acme);
    await line('The last valid my-shop remains in use');
    await replace(`${OWN_ENTRY('${apikey}')}${acme}\n# touched\n`);
    await save('acme/actions/later.ts', 'export default createSync({');
    await line('acme/actions/later.ts does not compile');

    expect(printed().match(/did you mean/g)).toHaveLength(1);
  });

  await next('name the command that approves a withheld change', async () => {
    await replace(OWN_ENTRY('${apiKey}') + acme);
    await hub.call('POST', '/integrations', { body: { provider: 'my-shop', unique_key: 'my-shop' } });
    await hub.call('POST', '/connections', {
      body: { provider_config_key: 'my-shop', connection_id: 's1', credentials: { type: 'API_KEY', api_key: 'k' } },
    });
    await replace(OWN_ENTRY('${apiKey}').replace('127.0.0.1:9', '127.0.0.1:10') + acme);
    await line(
      'providers.yaml changes proxy.base_url of my-shop, which connections use. It is not applied until you approve it: npx homeport providers approve my-shop',
    );
  });

  await next('repeat unresolved problems after a restart, of many folders in one line', async () => {
    const folders = [1, 2, 3, 4, 5].map((at) => `north${at}`);
    await Promise.all(folders.map((folder) => save(`${folder}/syncs/rows.ts`, syncSource('return;'))));
    for (const folder of folders) await line(`no integration "${folder}"`);
    from = 0;
    await hub.server.restart();

    await line('acme/actions/later.ts does not compile');
    await line('acme/bad9.ts is not used');
    await line('there is no integration "acmee"');
    await line('The functions in 2 further folders wait: no integration has their names.');
    await line('homeport providers approve my-shop');
    await replace(acme);
  });
});

describe('the form of the lines', () => {
  const masterKey = randomBytes(32).toString('base64');
  let home: TempHome;
  beforeAll(async () => {
    home = await createTempHome();
  });
  afterAll(() => home.remove());

  it('is text on a terminal, with the addresses below each other, and JSON when it is piped', {
    tags: ['main-path'],
  }, async () => {
    const env = {
      ...serverEnvironment(home.path, { HOMEPORT_MASTER_KEY: masterKey }),
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm',
    };
    const child = spawn('script', ['-qefc', `exec ${process.execPath} ${SERVER_ENTRY}`, '/dev/null'], { env });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    await waitFor(() => output.includes('Homeport ready at'), { what: 'the server' });
    await writeFile(join(home.path, 'functions/providers.yaml'), '[');
    await waitFor(() => /\d\d:\d\d:\d\d.*!.* providers\.yaml:\d+: /.test(output), { what: 'the line' });
    child.stdin.write('\u0003');
    const [status] = (await once(child, 'close')) as [number];

    expect(status, output).toBe(0);
    expect(output).toMatch(/Homeport ready at http:\/\/127\.0\.0\.1:\d+\r\n {2}dashboard {2}http:.*\/app\/#code=/);
    expect(output).not.toContain('{"level"');

    // Piped, it is JSON.
    const server = await startServer({ home: home.path, env: { HOMEPORT_MASTER_KEY: masterKey } });
    await waitFor(() => server.errorOutput().includes('The last valid entries of'), { what: 'the line' });
    const lines = server.errorOutput().trim().split('\n');
    await server.stop();

    // Examples that the previous start did not compile in time go live in this one.
    const events = lines.map((one) => JSON.parse(one).event);
    expect(events.filter((event) => event !== 'function')).toEqual(['catalog']);
  });
});

describe('the start of the API', () => {
  it('tells a program where everything is', async () => {
    const response = await fetch(`${hub.server.url}/`);

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      name: 'Homeport',
      documentation: '/openapi.json',
      dashboard: '/app/',
    });
  });
});
