import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import {
  installStockClis,
  linkStockPackages,
  runProjectTests,
  runStockCli,
  STOCK_CLIS,
  type StockRun,
} from '../../support/stock-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

beforeAll(() => installStockClis(), 600_000);

/** Each test runs other vendors' programs several times, which take seconds to start and to compile. */
const LIMIT_MS = 300_000;
/** The question before every deletion. */
const QUESTION = 'y/n?';
const SYNC = 'acme/syncs/fetchItems.ts';
const ACTION = 'acme/actions/getItem.ts';

const FILES = {
  [SYNC]: `import { createSync } from 'nango';
import * as z from 'zod';

export default createSync({
  description: 'Fetches items',
  version: '1.0.0',
  frequency: 'every hour',
  autoStart: false,
  syncType: 'full',
  metadata: z.void(),
  models: { Item: z.object({ id: z.string(), name: z.string() }) },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/items' });
    await nango.batchSave(data.items, 'Item');
  },
});
`,
  [ACTION]: `import { createAction } from 'nango';
import * as z from 'zod';

export default createAction({
  description: 'Gets one item',
  version: '1.0.0',
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), name: z.string() }),
  scopes: [''],
  exec: async (nango, input) => (await nango.get({ endpoint: '/items/' + input.id })).data,
});
`,
  'acme/on-events/greet.ts': `import { createOnEvent } from 'nango';

export default createOnEvent({
  description: 'Greets a new connection',
  version: '1.0.0',
  event: 'post-connection-creation',
  exec: async (nango) => {
    await nango.log('hello');
  },
});
`,
};

/** Commands that both send in the same form are tested with the current one only: a run takes seconds. */
describe.each(STOCK_CLIS)('%s', { timeout: LIMIT_MS }, (cli) => {
  const isCurrent = cli === 'nango-cli';
  let hub: FunctionHubProcess;
  let folder: TempHome;
  let project: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    hub = await startFunctionHubProcess(
      {},
      {
        prepare: (provider) => {
          provider.on('GET /items', { body: { items: [{ id: '1', name: 'one' }] } });
          provider.on('GET /items/1', { body: { id: '1', name: 'one' } });
        },
      },
    );
    folder = await createTempHome();
    project = join(folder.path, 'project');
    env = {
      NANGO_HOSTPORT: hub.server.url,
      NANGO_SECRET_KEY_DEV: hub.server.secretKey,
      NANGO_SECRET_KEY: hub.server.secretKey,
    };
  });
  afterAll(async () => {
    await hub?.stop();
    await folder?.remove();
  });

  const nango = (args: string[], answers: Array<[string, string]> = []): Promise<StockRun> =>
    runStockCli(cli, args, { cwd: project, env, answers });
  const succeed = async (...args: string[]): Promise<string> => {
    const { output, status } = await nango([...args, '--no-interactive', '--auto-confirm']);
    expect(status, output).toBe(0);
    return output;
  };
  const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');
  const saveIndex = (paths: string[]): Promise<void> =>
    writeFile(join(project, 'index.ts'), paths.map((path) => `import './${path.replace(/\.ts$/, '.js')}';\n`).join(''));
  /** Names and versions of the live functions. */
  const live = async (): Promise<Record<string, string>> => {
    const { body } = await hub.call('GET', '/scripts/config');
    const [acme] = body as Array<Record<string, Array<{ name: string; version: string }>>>;
    const all = ['syncs', 'actions', 'on-events'].flatMap((kind) => acme?.[kind] ?? []);
    return Object.fromEntries(all.map(({ name, version }) => [name, version]));
  };

  it('starts a project without a network and compiles it', async () => {
    const args = ['init', 'project', '--copy', '--no-interactive'];
    const { output, status } = await runStockCli(cli, args, { cwd: folder.path });
    expect(status, output).toBe(0);
    await linkStockPackages(cli, project);
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), text);
    }
    await saveIndex(Object.keys(FILES));

    expect(await succeed('compile')).toContain('Compiled');
  });

  const dryrun = (...args: string[]) => succeed('dryrun', ...args, '-e', 'dev');

  it('dry runs against the hub and checks what it gets', async () => {
    expect(await dryrun('fetchItems', 'c1', '--validation')).toContain('"added": 1');
  });

  it.runIf(isCurrent)('records dry runs, which save nothing', async () => {
    await dryrun('fetchItems', 'c1', '--save');
    await dryrun('getItem', 'c1', '--save', '--input', '{"id":"1"}');

    const recorded = [await read('acme/tests/fetchItems.test.json'), await read('acme/tests/getItem.test.json')];
    expect(recorded).toEqual([expect.stringContaining('"one"'), expect.stringContaining('"one"')]);
    expect((await hub.records('model=Item')).body.records ?? []).toEqual([]);
  });

  it.runIf(isCurrent)('writes documentation and tests, which pass', async () => {
    await succeed('generate:docs');
    expect(await read('acme/syncs/fetchItems.md')).toContain('Fetches items');
    expect(await succeed('generate:tests')).toContain('Generated 2 test file(s)');

    const { output, status } = await runProjectTests(project);

    expect(status, output).toBe(0);
    expect(output).toContain('3 passed');
  });

  it.runIf(isCurrent)('deploys one action, one sync and an integration', async () => {
    await succeed('deploy', 'dev', '-a', 'getItem');
    expect(await live()).toEqual({ getItem: '1.0.0' });
    await succeed('deploy', 'dev', '-s', 'fetchItems');
    expect(await live()).toEqual({ getItem: '1.0.0', fetchItems: '1.0.0' });
    expect(await succeed('deploy', 'dev', '-i', 'acme')).toContain('acme → greet');
  });

  it('deploys everything under one version', async () => {
    await succeed('deploy', 'dev', '-v', '2.0.0');

    expect(await live()).toMatchObject({ getItem: '2.0.0', fetchItems: '2.0.0', greet: expect.any(String) });
    expect((await hub.action('getItem', { id: '1' })).body).toEqual({ id: '1', name: 'one' });
  });

  it('shows what a deploy deletes, and deletes only after consent', async () => {
    const { [SYNC]: _gone, ...others } = FILES;
    await rm(join(project, SYNC));
    await saveIndex(Object.keys(others));

    // The option that confirms everything does not confirm deletions.
    const unattended = await nango(['deploy', 'dev', '--auto-confirm', '--no-interactive']);
    expect(unattended.output).toContain('acme → fetchItems');
    expect(unattended.output).toContain('(1 impacted connections)');
    expect(unattended.output).toContain('The following models have been removed: Item.');
    expect(await live()).toHaveProperty('fetchItems');

    const agreed = await nango(['deploy', 'dev'], [[QUESTION, 'y']]);

    expect(agreed.status, agreed.output).toBe(0);
    expect(Object.keys(await live()).sort()).toEqual(['getItem', 'greet']);
  });

  it.runIf(isCurrent)('says which integration a deploy to a mistyped one means', async () => {
    const path = 'acmee/actions/getItem.ts';
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), FILES[ACTION]);
    await saveIndex([path, ACTION]);

    const { output, status } = await nango([
      'deploy',
      'dev',
      '--auto-confirm',
      '--allow-destructive',
      '--no-interactive',
    ]);

    expect([status, output]).toEqual([11, expect.stringContaining('There is no integration "acmee"')]);
    expect(Object.keys(await live()).sort()).toEqual(['getItem', 'greet']);
    await rm(join(project, 'acmee'), { recursive: true });
    await saveIndex([ACTION]);
  });

  // The older one has no such command.
  it.runIf(isCurrent)('pulls what is live', async () => {
    await rm(join(project, ACTION));

    const { output, status } = await nango(['pull', 'acme', 'getItem', '-e', 'dev', '--force', '--no-interactive']);

    expect(status, output).toBe(0);
    expect(await read(ACTION)).toBe(FILES[ACTION]);
  });
});
