import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let folder: TempHome;
beforeEach(async () => {
  folder = await createTempHome();
  return () => folder.remove();
});

const cli = (args: string[], cwd = folder.path): Promise<CliRun> =>
  runCli(args, { cwd, home: join(folder.path, 'home') });
const read = (path: string): Promise<string> => readFile(join(folder.path, path), 'utf8');

async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, root, path)), { recursive: true });
    await writeFile(join(folder.path, root, path), text);
  }
}

async function filesIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(join(folder.path, root), { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)),
  );
}

const SHOP: Record<string, string> = {
  'nango.yaml': `integrations:
  shop:
    syncs:
      orders:
        description: |
          Copies orders.
          All of them.
        runs: every 30min
        endpoint:
          method: GET
          path: /shop/orders
          group: Orders
        output: Order
        input: OrdersMetadata
        auto_start: false
        scopes: orders.read,orders.list
        version: 1.2.0
        webhook-subscriptions: [order.created]
      counters:
        runs: every half hour
        endpoint:
          - GET /shop/counters
          - GET /shop/people
        output: [Counter, Person]
        sync_type: full
        track_deletes: true
    actions:
      list-people:
        endpoint: GET /shop/people-now
        input: PeopleInput
        output: Person[]
    on-events:
      post-connection-creation: [greet]
      pre-connection-deletion: [leave]
    post-connection-scripts: [older]
models:
  Order:
    __extends: Base
    state: open | closed
    person?: Person | null
  Base:
    id: string
    created: date
  Person:
    id: string
    name: string
  Counter:
    id: number
    value: number
  OrdersMetadata:
    shop: string
  PeopleInput:
    name?: string
`,
  'models.ts': `export interface Order { id: string }
export interface Note { text: string; config: ProxyConfiguration }
export interface ProxyConfiguration { endpoint: string }
export declare class NangoAction {}
export declare class NangoSync extends NangoAction {}
`,
  'shop/syncs/orders.ts': `import type { NangoSync, Order, OrdersMetadata } from '../../models';
import { toOrder } from '../mappers/to-order';

const BANNER = \`
no indent
\`;

export function describeOrder(order: Order): string {
  return order.id + BANNER;
}

// Fetches all of them.
export default async function fetchData(nango: NangoSync): Promise<void> {
  const { shop } = await nango.getMetadata<OrdersMetadata>();
  for await (const page of nango.paginate<{ key: string }>({ endpoint: '/orders', params: { shop }, retries: 3 })) {
    const text = \`
kept
\`;
    await nango.log(text);
    await nango.batchSave(page.map(toOrder), 'Order');
  }
}

export async function onWebhookPayloadReceived(nango: NangoSync, payload: { key: string }): Promise<void> {
  await nango.log(describeOrder(toOrder(payload)));
}
`,
  'shop/syncs/counters.ts': `import type { Counter, NangoSync, Person } from '../../models';

const fetchData = async (nango: NangoSync) => {
  const counters: Counter[] = [{ id: 1, value: 2 }];
  await nango.batchSave<Counter>(counters, 'Counter');
  const people: Person[] = [];
  await nango.batchSave(people, 'Person');
};

export default fetchData;
`,
  'shop/actions/list-people.ts': `import type { NangoAction, PeopleInput, Person } from '../../models';
import { ask } from '../helpers/ask';

export default async function runAction(nango: NangoAction, input: PeopleInput): Promise<Person[]> {
  return ask(nango, input.name ?? '');
}
`,
  'shop/helpers/ask.ts': `import { NangoAction, Note, Person } from '../../models';

export async function ask(nango: NangoAction, name: string): Promise<Person[]> {
  const note: Note = { text: name, config: { endpoint: '/people' } };
  const response = await nango.get({ ...note.config, params: { name }, retries: 2 });
  return response.data;
}
`,
  'shop/mappers/to-order.ts': `import type { Order } from '../../models';

export const toOrder = (raw: { key: string }): Order => ({ id: raw.key, created: new Date(), state: 'open' });
`,
  'shop/on-events/greet.ts': `import type { NangoAction } from '../../models';

export default async function onEvent(nango: NangoAction): Promise<void> {
  await nango.log('hello');
}
`,
  'shop/on-events/leave.ts': `import type { NangoAction } from '../../models';

export default async (nango: NangoAction) => {
  await nango.log('bye');
};
`,
  'shop/post-connection-scripts/older.ts': `import type { NangoAction } from '../../models';

export default async function execute(nango: NangoAction): Promise<void> {
  await nango.log('older');
}
`,
  'shop/tests/shop-list-people.test.ts': `import { expect, it } from 'vitest';
import runAction from '../actions/list-people.js';

it('lists people', async () => {
  const nangoMock = new global.vitest.NangoActionMock({ dirname: __dirname, name: 'list-people', Model: 'Person' });
  expect(await runAction(nangoMock, await nangoMock.getInput())).toEqual(await nangoMock.getOutput());
});
`,
  'shop/mocks/list-people/input.json': '{ "name": "a" }',
  'shop/mocks/list-people/output.json': '[{ "id": "1", "name": "a" }]',
  'shop/mocks/nango/get/proxy/people/list-people.json': '[{ "id": "1", "name": "a" }]',
  'README.md': 'Read me.\n',
  '.env': 'NANGO_SECRET_KEY_DEV=key\n',
};

describe('homeport migrate', () => {
  it('turns functions, models, tests and mocks of a project, which then compile', { tags: ['main-path'] }, async () => {
    await writeFiles('old', SHOP);
    const before = await filesIn('old');

    const run = await cli(['migrate', 'old']);

    expect([run.status, run.errors.match(/^error.*$/gm)]).toEqual([0, null]);
    expect(run.output).toContain('✓ shop/orders (sync)');
    expect(run.output).toContain('6 of 6 functions turned, 6 models.');
    expect(run.output).toContain('✓ compile: 6 functions compiled');
    expect(run.output).toMatch(/The new project is in .*old-migrated\. The old one in .*old is unchanged\./);
    expect(await filesIn('old')).toEqual(before);
    expect(await read('old-migrated/shop/syncs/orders.ts')).toBe(`import { createSync } from 'homeport';
import { Order, OrdersMetadata } from '../../models.js';
import { toOrder } from '../mappers/to-order.js';

const BANNER = \`
no indent
\`;

function describeOrder(order: Order): string {
  return order.id + BANNER;
}

// Fetches all of them.
export default createSync({
  description: 'Copies orders.\\nAll of them.',
  version: '1.2.0',
  frequency: 'every 30min',
  autoStart: false,
  endpoints: [{ method: 'GET', path: '/shop/orders', group: 'Orders' }],
  scopes: ['orders.read', 'orders.list'],
  webhookSubscriptions: ['order.created'],
  metadata: OrdersMetadata,
  models: { Order },

  exec: async (nango): Promise<void> => {
    const { shop } = await nango.getMetadata<OrdersMetadata>();
    for await (const page of nango.paginate<{ key: string }>({ endpoint: '/orders', params: { shop }, retries: 3 })) {
      const text = \`
kept
\`;
      await nango.log(text);
      await nango.batchSave(page.map(toOrder), 'Order');
    }
  },

  onWebhook: async (nango, payload: { key: string }): Promise<void> => {
    await nango.log(describeOrder(toOrder(payload)));
  },
});
`);
    const counters = await read('old-migrated/shop/syncs/counters.ts');
    expect(counters).toContain("syncType: 'full',\n  trackDeletes: true,");
    expect(counters).toContain('models: { Counter: Counter.extend({ id: z.string() }), Person },');
    expect(counters).toContain('String(record.id)');
    expect(counters).toContain('// TODO (migrate): The ids of Counter are numbers.');
    expect(await read('old-migrated/shop/actions/list-people.ts')).toContain('output: z.array(Person),');
    expect(await read('old-migrated/shop/helpers/ask.ts')).toContain("import type { NangoAction } from 'homeport';");
    expect(await read('old-migrated/models.ts')).toContain('export interface Note {');
    expect(await read('old-migrated/shop/on-events/leave.ts')).toContain("event: 'pre-connection-deletion',");
    expect(await read('old-migrated/shop/on-events/older.ts')).toContain("event: 'post-connection-creation',");
    expect(await read('old-migrated/README.md')).toBe('Read me.\n');
    expect((await read('old-migrated/.gitignore')).split('\n')).toContain('.env');

    const tested = await cli(['test'], join(folder.path, 'old-migrated'));
    expect([tested.status, tested.output]).toEqual([0, expect.stringContaining('1 passed, 0 failed')]);
    expect(await read('old-migrated/shop/tests/shop-list-people.test.ts')).toContain('await runAction.exec(nangoMock,');
  });

  it('turns a project of the first version, whose files are in one folder', { tags: ['slow'] }, async () => {
    await writeFiles('old', {
      'nango.yaml': `integrations:
  hub-a:
    fetch-items:
      type: sync
      runs: every hour
      returns:
        - Item
    make-item:
      type: action
      returns: Item
models:
  Item:
    id: string
    size: integer
`,
      'fetch-items.ts': `import type { NangoSync, Item } from './models';
import { toItem } from './shared/to-item';

export default async function fetchData(nango: NangoSync): Promise<{ Item: Item[] }> {
  const items = [toItem('a')];
  await nango.batchSend(items, 'Item');
  return { Item: items };
}
`,
      'make-item.ts': `import type { NangoAction, Item } from './models';
import { toItem } from './shared/to-item';

export default async function runAction(nango: NangoAction, input: string): Promise<Item> {
  await nango.log(input);
  return toItem(input);
}
`,
      'shared/to-item.ts': `import type { Item } from '../models';
export const toItem = (id: string): Item => ({ id, size: 1 });
`,
      'dist/fetch-items.js': 'old',
    });

    const run = await cli(['migrate', '--to', '../new', '--json'], join(folder.path, 'old'));

    expect(run.status).toBe(0);
    expect(run.json()).toMatchObject({
      dryRun: false,
      functions: [
        {
          integration: 'hub-a',
          type: 'sync',
          name: 'fetch-items',
          path: 'hub-a/syncs/fetch-items.ts',
          state: 'turned',
        },
        { integration: 'hub-a', type: 'action', name: 'make-item', from: 'make-item.ts', state: 'turned' },
      ],
      models: 1,
      notes: [
        {
          file: 'hub-a/syncs/fetch-items.ts',
          kind: 'changed',
          message: expect.stringContaining('It returned a value'),
        },
        { file: 'hub-a/actions/make-item.ts', kind: 'changed' },
      ],
      compile: { functions: 2, errors: 0 },
    });
    expect(await read('new/hub-a/syncs/fetch-items.ts')).toContain("import { toItem } from '../../shared/to-item.js';");
    expect(await read('new/hub-a/syncs/fetch-items.ts')).toContain('autoStart: true,');
    expect(await read('new/hub-a/actions/make-item.ts')).toContain('input: z.string(),\n  output: Item,');
    expect(await read('new/shared/to-item.ts')).toContain("'../models.js'");
    expect(await readdir(join(folder.path, 'new'))).not.toContain('dist');
  });

  it('leaves what it cannot turn with a comment, names it, and ends with 10', async () => {
    await writeFiles('old', {
      'nango.yaml': `integrations:
  acme:
    actions:
      lost:
        output: Thing
      wrapped:
        output: Thing
      fetcher:
        output: Thing
        retries: 4
      caller:
        output: Thing
models:
  Thing:
    name: string
`,
      'acme/actions/wrapped.ts': `import type { NangoAction } from '../../models';
const wrap = <T>(work: T): T => work;
export default wrap(async (nango: NangoAction) => ({ name: nango.provider }));
`,
      'acme/actions/fetcher.ts': `import axios from 'axios';
import type { NangoAction, Thing } from '../../models';
export default async function runAction(nango: NangoAction): Promise<Thing> {
  return (await axios.get(nango.provider)).data;
}
`,
      'acme/actions/caller.ts': `import runAction from './fetcher';
import type { NangoAction, Thing } from '../../models';
export default async function run(nango: NangoAction): Promise<Thing> {
  return runAction(nango);
}
`,
      'acme/actions/unnamed.ts': 'export default async function runAction(): Promise<void> {}\n',
    });

    const run = await cli(['migrate', 'old']);

    expect(run.status).toBe(10);
    expect(run.output).toContain('✗ acme/lost (action): there is no file of it');
    expect(run.output).toContain('✗ acme/wrapped (action): left as it was');
    expect(run.output).toContain('✓ acme/fetcher (action)');
    expect(run.output).toContain('left nango.yaml: The setting integrations.acme.actions.fetcher.retries is unknown');
    expect(run.output).toContain('left acme/actions/caller.ts: It uses the function acme/actions/fetcher.ts.');
    expect(run.output).toMatch(/left acme\/actions\/unnamed\.ts: nango\.yaml does not name it/);
    expect(run.output).toContain('2 of 4 functions turned, 1 model.');
    expect(run.output).toMatch(/✗ compile: 0 functions compiled, \d+ errors?/);
    expect(run.errors).toMatch(/acme\/actions\/fetcher\.ts:\d+:\d+ error .*"axios".* disallowed_import/);
    expect(run.errors).toMatch(
      /^error: 2 functions could not be turned and \d+ errors? in the compiled project\. Correct what is listed/m,
    );
    expect(await read('old-migrated/acme/actions/wrapped.ts')).toMatch(
      /^\/\/ TODO \(migrate\): left as it was\. .*\nimport /,
    );
    expect(await read('old-migrated/acme/actions/fetcher.ts')).toMatch(
      /\/\/ TODO \(migrate\): .*axios.*\nimport axios/,
    );
    expect(await read('old-migrated/acme/actions/unnamed.ts')).toMatch(/^\/\/ TODO \(migrate\): /);
    expect(await read('old-migrated/index.ts')).not.toContain('unnamed');
  });

  it('writes nothing with --dry-run, and says what would be written', async () => {
    await writeFiles('old', SHOP);

    const run = await cli(['migrate', 'old', '--dry-run']);

    expect(run.status).toBe(0);
    expect(run.output).toContain('6 of 6 functions would be turned');
    expect(run.output).toContain('✓ compile: 6 functions compiled');
    expect(run.output).toMatch(/Nothing was written\. Without --dry-run the new project goes to .*old-migrated\./);
    expect((await readdir(folder.path)).filter((name) => name !== 'home')).toEqual(['old']);
  });

  it('never writes over something', async () => {
    await writeFiles('old', SHOP);
    await writeFiles('old-migrated', { 'mine.txt': 'mine' });

    const run = await cli(['migrate', 'old']);

    expect([run.status, run.output, run.errors]).toEqual([
      64,
      '',
      expect.stringMatching(/old-migrated exists already\. Choose another folder with --to/),
    ]);
    expect(await readdir(join(folder.path, 'old-migrated'))).toEqual(['mine.txt']);
  });

  it('does not write to the functions folder of the hub, where everything goes live', async () => {
    await writeFiles('old', SHOP);

    const run = await cli(['migrate', 'old', '--to', 'home/functions/new']);

    expect([run.status, run.errors]).toEqual([64, expect.stringContaining('the functions folder of the hub')]);
  });

  it('says where the old project is when it is not here', async () => {
    await writeFiles('repository/nango-integrations', { 'nango.yaml': 'integrations: {}\n' });

    const near = await cli(['migrate', 'repository']);
    const nowhere = await cli(['migrate', 'missing']);

    expect([near.status, near.errors]).toEqual([
      64,
      expect.stringMatching(/homeport(?:\.mjs)? migrate .*repository\/nango-integrations/),
    ]);
    expect([nowhere.status, nowhere.errors]).toEqual([64, expect.stringContaining('There is no nango.yaml in')]);
  });

  it('says when there is nothing to turn, and which scripts call the old command line', {
    tags: ['slow'],
  }, async () => {
    await writeFiles('bare', { 'nango.yaml': 'integrations:\n  github:\n    provider: github\n' });
    await writeFiles('old', {
      ...SHOP,
      'package.json': '{ "name": "shop", "scripts": { "deploy": "nango deploy prod" } }',
    });

    const bare = await cli(['migrate', 'bare']);
    const old = await cli(['migrate', 'old']);

    expect([bare.status, bare.errors]).toEqual([64, expect.stringContaining('describes no functions')]);
    expect(old.output).toContain('left package.json: The script "deploy" calls nango: nango deploy prod.');
    expect(JSON.parse(await read('old-migrated/package.json'))).toMatchObject({
      name: 'shop',
      scripts: { deploy: 'nango deploy prod', compile: expect.stringContaining('compile') },
    });
  });

  it('names the line of a nango.yaml that cannot be read', async () => {
    await writeFiles('old', { 'nango.yaml': 'integrations:\n  a: [\nmodels: {}\n' });

    const run = await cli(['migrate', 'old', '--json']);

    expect(run.status).toBe(64);
    expect(run.json().error.message).toMatch(/^nango\.yaml cannot be read \(line \d\): /);
    expect((await readdir(folder.path)).filter((name) => name !== 'home')).toEqual(['old']);
  });
});

describe('a project of the old format', () => {
  it.each([
    [['compile']],
    [['test']],
    [['dev']],
    [['deploy']],
    [['dryrun', 'a', 'b']],
    [['create', 'a', 'b', '--sync']],
    [['init']],
  ])('is answered by %j with the sentence that names migrate', async (args) => {
    await writeFiles('old', SHOP);

    const run = await cli(args, join(folder.path, 'old'));

    expect(run.status).toBe(args[0] === 'init' ? 64 : 10);
    expect(run.errors).toMatch(
      /This is the old format, in which a nango\.yaml describes the functions\..*homeport(?:\.mjs)? migrate/,
    );
  });

  it('is found from a folder of it', async () => {
    await writeFiles('old', SHOP);

    const run = await cli(['compile'], join(folder.path, 'old/shop/mappers'));

    expect([run.status, run.errors]).toEqual([10, expect.stringContaining('This is the old format')]);
  });

  it('is answered in the same way for a single file', async () => {
    await writeFiles('project', { 'shop/actions/list-people.ts': SHOP['shop/actions/list-people.ts'] ?? '' });

    const run = await cli(['compile'], join(folder.path, 'project'));

    expect(run.status).toBe(10);
    expect(run.errors).toMatch(/list-people\.ts:\d+:\d+ error This is the old format, .*homeport(?:\.mjs)? migrate/);
  });
});
