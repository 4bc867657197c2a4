// @module-tag nightly
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import { unpackSample } from '../../golden/compiler/golden-workspace.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import {
  installStockClis,
  linkSmallTypes,
  linkStockPackages,
  runProjectTests,
  runStockCli,
  STOCK_CLIS,
  type StockRun,
} from '../../support/stock-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { pushedSync } from '../functions/pushed-action.ts';

beforeAll(() => installStockClis(), 600_000);

/** Each test runs other vendors' programs several times, which take seconds to start and to compile. */
const LIMIT_MS = 300_000;
/** The question before every deletion. */
const QUESTION = 'y/n?';
const SYNC = 'acme/syncs/fetchItems.ts';
const ACTION = 'acme/actions/getItem.ts';
/** Alone on the hub before each test, and in no project. */
const OLD_SYNC = {
  ...pushedSync('fetchOld', 'acme'),
  models: ['OldItem'],
  models_json_schema: { definitions: { OldItem: { type: 'object', properties: { id: { type: 'string' } } } } },
};

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

it('the current command line accepts the calls of every member that the types here accept', {
  tags: ['nightly'],
  timeout: LIMIT_MS,
}, async () => {
  await using files = await unpackSample(
    fileURLToPath(new URL('../../golden/types/stock-members.txt', import.meta.url)),
  );
  const { workspace } = files;
  const { functions } = await discoverFunctions(workspace);
  const imports = functions.map(({ path }) => `import './${path.replace(/\.ts$/, '.js')}';\n`);
  await mkdir(join(workspace, '.nango'));
  await writeFile(join(workspace, 'index.ts'), imports.join(''));
  await writeFile(join(workspace, 'package.json'), '{"type":"module","devDependencies":{"nango":"0","zod":"4"}}');
  await linkStockPackages('nango-cli', workspace);

  const { output, status } = await runStockCli('nango-cli', ['compile'], { cwd: workspace });

  expect(status, output).toBe(0);
});

/**
 * A run takes seconds of processor time, most of it for the type check before every command. So one run shows as much as
 * it can, and commands that both send in the same form are tested with the current one only.
 */
describe.each(STOCK_CLIS)('%s', { timeout: LIMIT_MS }, (cli) => {
  const isCurrent = cli === 'nango-cli';
  /** Every push starts a project with the current one and deploys it; the rest is for the night. */
  const seed = isCurrent ? {} : { tags: ['nightly' as const] };
  const ofCurrent = (title: string, test: () => Promise<void>): void => {
    if (isCurrent) it(title, { tags: ['nightly'] }, test);
  };

  let hub: FunctionHub;
  let folder: TempHome;
  let project: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    hub = await startFunctionHub(
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
    const args = ['init', 'project', '--copy', '--no-interactive'];
    const { output, status } = await runStockCli(cli, args, { cwd: folder.path });
    expect(status, output).toBe(0);
    await linkStockPackages(cli, project);
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), text);
    }
    await saveIndex(Object.keys(FILES));
    await linkSmallTypes(project);
  }, LIMIT_MS);
  beforeEach(async () => {
    const body = {
      flowConfigs: [OLD_SYNC],
      onEventScriptsByProvider: [],
      reconcile: true,
      debug: false,
      nangoYamlBody: '',
    };
    expect((await hub.call('POST', '/sync/deploy', { body })).status).toBe(200);
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
  const dryrun = (...args: string[]) => succeed('dryrun', ...args, '-e', 'dev');

  it('compiles a project with the types of the packages themselves', { tags: ['nightly'] }, async () => {
    await rm(join(project, 'node_modules'), { recursive: true });
    await linkStockPackages(cli, project);

    expect(await succeed('compile')).toContain('Compiled');

    await linkSmallTypes(project);
  });

  it('dry runs against the hub, checks and records what it gets', { tags: ['nightly'] }, async () => {
    const output = await dryrun('fetchItems', 'c1', '--validation', '--save');

    expect(output).toContain('"added": 1');
    expect(await read('acme/tests/fetchItems.test.json')).toContain('"one"');
    expect((await hub.records('model=Item')).body.records ?? []).toEqual([]);
  });

  ofCurrent('records the dry run of an action', async () => {
    await dryrun('getItem', 'c1', '--save', '--input', '{"id":"1"}');

    expect(await read('acme/tests/getItem.test.json')).toContain('"one"');
  });

  ofCurrent('writes documentation and tests, which pass', async () => {
    if (!existsSync(join(project, 'acme/tests/fetchItems.test.json'))) await dryrun('fetchItems', 'c1', '--save');
    if (!existsSync(join(project, 'acme/tests/getItem.test.json')))
      await dryrun('getItem', 'c1', '--save', '--input', '{"id":"1"}');
    await succeed('generate:docs');
    expect(await read('acme/syncs/fetchItems.md')).toContain('Fetches items');
    expect(await succeed('generate:tests')).toContain('Generated 2 test file(s)');

    const { output, status } = await runProjectTests(project);

    expect(status, output).toBe(0);
    expect(output).toContain('3 passed');
  });

  ofCurrent('deploys one action and one sync', async () => {
    await succeed('deploy', 'dev', '-a', 'getItem');
    expect(await live()).toEqual({ getItem: '1.0.0', fetchOld: '1' });
    await succeed('deploy', 'dev', '-s', 'fetchItems');
    expect(await live()).toEqual({ getItem: '1.0.0', fetchItems: '1.0.0', fetchOld: '1' });
  });

  const expectPlan = ({ output }: StockRun): void => {
    expect(output).toContain('acme → greet');
    expect(output).toContain('acme → fetchOld');
    expect(output).toContain('(1 impacted connections)');
    expect(output).toContain('The following models have been removed: OldItem.');
  };

  ofCurrent('deletes nothing without consent', async () => {
    // The option that confirms everything does not confirm deletions.
    const unattended = await nango(['deploy', 'dev', '--auto-confirm', '--no-interactive']);

    expectPlan(unattended);
    expect(await live()).toHaveProperty('fetchOld');
  });

  it('deploys everything under one version, and deletes after consent', seed, async () => {
    // The only integration: both options deploy the same.
    const args = isCurrent ? ['-i', 'acme', '-v', '2.0.0'] : ['-v', '2.0.0'];
    const agreed = await nango(['deploy', 'dev', ...args], [[QUESTION, 'y']]);

    expect(agreed.status, agreed.output).toBe(0);
    expectPlan(agreed);
    expect(await live()).toEqual({ getItem: '2.0.0', fetchItems: '2.0.0', greet: expect.any(String) });
    expect((await hub.action('getItem', { id: '1' })).body).toEqual({ id: '1', name: 'one' });
  });

  ofCurrent('says which integration a deploy to a mistyped one means', async () => {
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
    expect(Object.keys(await live())).toEqual(['fetchOld']);
    await rm(join(project, 'acmee'), { recursive: true });
    await saveIndex(Object.keys(FILES));
  });

  // The older one has no such command.
  ofCurrent('pulls what is live', async () => {
    await succeed('deploy', 'dev', '-a', 'getItem');
    await rm(join(project, ACTION));

    const { output, status } = await nango(['pull', 'acme', 'getItem', '-e', 'dev', '--force', '--no-interactive']);

    expect(status, output).toBe(0);
    expect(await read(ACTION)).toBe(FILES[ACTION]);
  });
});
