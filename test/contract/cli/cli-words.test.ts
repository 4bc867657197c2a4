import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { repeatWhile } from '../../support/repeat-while.ts';
import { type CliRun, runCli, runCliProcess } from '../../support/run-cli.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let hub: FunctionHub;
let folder: TempHome;
beforeAll(async () => {
  folder = await createTempHome();
  hub = await startFunctionHub({
    'actions/echo.ts': actionSource('return { got: input ?? null };'),
    'actions/breaks.ts': actionSource('throw new Error("no row at all");'),
    'syncs/items.ts': syncSource(
      "await nango.batchSave([{ id: '1', text: 'one' }, { id: '2', text: 'two' }, { id: '3', text: 'three' }], 'Item');",
    ),
  });
});
afterAll(async () => {
  await hub?.stop();
  await folder.remove();
});

const cli = (args: string[], input?: string): Promise<CliRun> =>
  runCli(args, { cwd: folder.path, home: hub.server.home, ...(input === undefined ? {} : { input }) });

describe('homeport api', () => {
  it('prints the answer as it came, and sends fields as query or body', async () => {
    await hub.renewConnection();
    const listed = await cli(['api', 'GET', '/connections', '-f', 'integrationId=acme', '-F', 'limit=5']);
    expect([listed.status, listed.errors]).toEqual([0, '']);
    expect(listed.json().connections[0].connection_id).toBe('c1');

    const changed = await cli([
      ...['api', 'PATCH', '/connections/metadata', '-f', 'connection_id=c1', '-f', 'provider_config_key=acme'],
      ...[
        '-F',
        'metadata[open]=true',
        '-F',
        'metadata[size]=3',
        '-f',
        'metadata[list][]=a',
        '-f',
        'metadata[list][]=b',
      ],
    ]);
    expect([changed.status, changed.errors]).toEqual([0, '']);
    expect(
      (await cli(['api', 'get', 'connections/c1?provider_config_key=acme', '--jq', '.metadata | tojson'])).output,
    ).toBe('{"list":["a","b"],"open":true,"size":3}\n');
  });

  it('takes a body from a file and from standard input', async () => {
    const body = JSON.stringify({ connection_id: 'c1', provider_config_key: 'acme', metadata: { from: 'file' } });
    await writeFile(join(folder.path, 'body.json'), body);
    expect((await cli(['api', 'POST', '/connections/metadata', '--input', 'body.json'])).status).toBe(0);
    const piped = await cli(['api', 'POST', '/connections/metadata', '--input', '-'], body.replace('file', 'stdin'));
    expect([piped.status, piped.json().metadata]).toEqual([0, { from: 'stdin' }]);
    const missing = await cli(['api', 'POST', '/connections/metadata', '--input', 'nowhere.json']);
    expect([missing.status, missing.errors]).toEqual([
      1,
      expect.stringContaining('nowhere.json: there is no such file'),
    ]);
  });

  it('asks for every page', async () => {
    await cli(['syncs', 'run', 'items', 'c1']);
    await waitFor(async () => (await hub.records('model=Item')).body.records.length === 3, { what: 'the records' });
    const get = [
      'api',
      'GET',
      '/records?model=Item&limit=2',
      '-H',
      'connection-id: c1',
      '-H',
      'provider-config-key: acme',
    ];

    expect((await cli([...get, '--paginate', '--jq', '.records | length'])).output).toBe('2\n1\n');
    expect((await cli([...get, '--paginate', '--slurp', '--jq', 'map(.records[].text) | join(" ")'])).output).toBe(
      'one two three\n',
    );
    for (const path of ['/integrations/acme/functions?limit=2', '/connections?limit=1']) {
      const whole = await cli(['api', 'GET', path, '--paginate', '--slurp', '--jq', 'length']);
      expect([path, whole.status, Number(whole.output)]).toEqual([path, 0, expect.any(Number)]);
    }
    expect(
      (await cli(['api', 'GET', '/integrations/acme/functions?limit=2', '--paginate', '--jq', '.data | length']))
        .output,
    ).toBe('2\n1\n');
  });

  it('prints a refusal with its document, and exits with 1', async () => {
    const run = await cli(['api', 'GET', '/connections/nobody?provider_config_key=acme', '--jq', '.connection_id']);
    expect([run.status, run.json().error.code]).toEqual([1, 'not_found']);
    const plain = await cli(['api', 'GET', '/nothing-here']);
    expect([plain.status, plain.errors]).toEqual([1, expect.stringContaining('The hub refused')]);

    const head = await cli(['api', 'GET', '/health', '--include']);
    expect(head.output).toMatch(/^HTTP 200.*\ncontent-type: /s);
  });

  it('refuses fields that do not fit', async () => {
    for (const [args, message] of [
      [['-f', 'no-value'], 'name=value'],
      [['-f', 'a=1', '-f', 'a[b]=2'], 'does not fit'],
      [['-f', '__proto__[x]=1'], 'not allowed'],
      [['-H', 'no-colon'], 'name:value'],
    ] as const) {
      const run = await cli(['api', 'POST', '/connections', ...args]);
      expect([run.status, run.errors]).toEqual([64, expect.stringContaining(message)]);
    }
  });
});

describe('homeport proxy', () => {
  it('calls the provider with the credentials of a connection', async () => {
    hub.provider.on('POST /rows', ({ body, headers, url }) => ({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: `{"id": 12345678901234567890, "seen": ${JSON.stringify([url, headers['x-own'], String(body)])}}`,
    }));
    const run = await cli([
      'proxy',
      'POST',
      '/rows?a=b',
      'c1',
      '-f',
      'title=A bug',
      '-F',
      'open=true',
      '-H',
      'X-Own: 1',
    ]);

    expect([run.status, run.errors]).toEqual([0, '']);
    expect(run.output).toContain('12345678901234567890');
    expect(run.json().seen).toEqual(['/rows?a=b', '1', '{"title":"A bug","open":true}']);
  });

  it('asks for every page, as the entry of the provider says', async () => {
    hub.provider.on('GET /rows', ({ url }) => {
      const page = Number(new URL(url, hub.provider.address).searchParams.get('cursor') ?? 1);
      const next = page < 3 ? `"next": "${page + 1}", ` : '';
      return {
        headers: { 'content-type': 'application/json' },
        body: `{${next}"rows": [{"page": ${page}, "id": 1234567890123456789${page}}]}`,
      };
    });
    const whole = await cli(['proxy', 'GET', '/rows', 'c1', '--paginate']);
    expect([whole.status, whole.errors, whole.output.match(/12345678901234567891|"page": \d/g)]).toEqual([
      0,
      '',
      ['"page": 1', '12345678901234567891', '"page": 2', '"page": 3'],
    ]);
    const slurped = await cli(['proxy', 'GET', '/rows', 'c1', '--paginate', '--slurp', '--jq', 'map(.rows[].page)']);
    expect(slurped.output).toBe('[1,2,3]\n');
    hub.provider.on('GET /broken', ({ url }) =>
      url.includes('cursor=2')
        ? { status: 422, body: { message: 'no second page' } }
        : { body: { next: '2', items: [1] } },
    );
    const broken = await cli(['proxy', 'GET', '/broken', 'c1', '--paginate']);
    expect([broken.status, broken.output]).toEqual([1, expect.stringMatching(/^\{"next":.*\n.*no second page/s)]);
    expect((await cli(['proxy', 'GET', '/rows', 'c1', '--slurp'])).status).toBe(64);
    expect((await cli(['proxy', 'GET', '/../connections', 'c1'])).status).toBe(64);
  });

  it('passes bytes on, and exits with 1 for a refusal of the provider', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    hub.provider.on('GET /file', () => ({ headers: { 'content-type': 'application/octet-stream' }, body: bytes }));
    hub.provider.on('GET /gone', () => ({ status: 404, body: { message: 'no such row' } }));
    const child = await runCliProcess(['proxy', 'GET', '/file', 'c1', '--jq', '.'], {
      cwd: folder.path,
      home: hub.server.home,
    });
    expect([child.status, child.output]).toEqual([1, expect.stringContaining('not JSON')]);

    const gone = await cli(['proxy', 'GET', '/gone', 'c1']);
    expect([gone.status, gone.json()]).toEqual([1, { message: 'no such row' }]);
    expect((await cli(['proxy', 'GET', '/gone', 'nobody'])).errors).toContain('There is no connection "nobody"');
  });
});

describe('homeport integrations', () => {
  it('makes, lists, shows, changes and deletes one', async () => {
    await writeFile(
      join(folder.path, 'app.json'),
      JSON.stringify({ client_id: 'id-1', client_secret: 'canary-secret' }),
    );
    const made = await cli(['integrations', 'create', 'github', 'my-github', '--credentials', '@app.json', '--json']);
    expect([made.status, made.json().unique_key]).toEqual([0, 'my-github']);

    expect((await cli(['integrations', 'list'])).output).toMatch(/^my-github +github +GitHub/m);
    const shown = await cli(['integrations', 'get', 'my-github']);
    expect(shown.json().webhook_url).toContain('/webhook/');
    expect(shown.output).not.toContain('canary-secret');
    expect(
      (await cli(['integrations', 'get', 'my-github', '--credentials', '--jq', '.credentials.client_secret'])).output,
    ).toBe('canary-secret\n');

    const app = JSON.stringify({ client_id: 'id-2', client_secret: 'other' });
    const edited = await cli(
      ['integrations', 'edit', 'my-github', '--display-name', 'Ours', '--no-forward-webhooks', '--credentials', '@-'],
      app,
    );
    expect([edited.status, edited.errors]).toEqual([0, '']);
    expect((await cli(['integrations', 'get', 'my-github', '--credentials'])).json()).toMatchObject({
      display_name: 'Ours',
      forward_webhooks: false,
      credentials: { client_id: 'id-2' },
    });
    expect((await cli(['integrations', 'edit', 'my-github'])).status).toBe(64);

    expect((await cli(['integrations', 'delete', 'my-github'])).status).toBe(64);
    expect((await cli(['integrations', 'delete', 'my-github', '--auto-confirm'])).status).toBe(0);
    const gone = await cli(['integrations', 'get', 'my-github']);
    expect([gone.status, gone.errors]).toEqual([1, expect.stringContaining('There is no integration "my-github"')]);
  });

  it('says what a provider needs, and which providers there are', async () => {
    const bare = await cli(['integrations', 'create', 'github', 'bare']);
    expect([bare.status, bare.errors]).toEqual([64, expect.stringContaining('"client_secret": "<Client secret>"')]);
    expect((await cli(['integrations', 'create', 'stripe-api-key', 'shop-keys'])).status).toBe(0);
    expect((await cli(['integrations', 'delete', 'shop-keys', '--auto-confirm'])).status).toBe(0);
    const unknown = await cli(['integrations', 'create', 'no-such-provider']);
    expect([unknown.status, unknown.errors]).toEqual([1, expect.stringContaining('providers list')]);
  });
});

describe('homeport connections add', () => {
  it('says in which shape this provider takes credentials, and reads them from standard input', async () => {
    const asked = await cli(['connections', 'add', 'stripe-api-key', 'shop']);
    expect([asked.status, asked.output]).toEqual([64, '']);
    expect(asked.errors).toContain('"username": "<');
    expect(asked.errors).not.toContain('apiKey');

    const wrong = await cli(['connections', 'add', 'stripe-api-key', 'shop', '-c', '{"apiKey": "x"}']);
    expect([wrong.status, wrong.errors]).toEqual([1, expect.stringContaining('"username": "<')]);
    expect((await cli(['integrations', 'get', 'stripe-api-key'])).status).toBe(1);

    // No network here: a provider of the hub itself is added.
    const added = await cli(['connections', 'add', 'acme', 'piped', '-c', '@-', '--json'], '{"apiKey": "from-stdin"}');
    expect([added.status, added.errors]).toEqual([0, '']);
    expect((await cli(['token', 'piped'])).output).toBe('from-stdin\n');
    const github = await cli(['connections', 'add', 'github', 'me']);
    expect(github.errors).toMatch(/"access_token": "<.*"no_expiration": true.*connect github/);
    expect((await cli(['connections', 'delete', 'piped', '--auto-confirm'])).status).toBe(0);
  });
});

describe('homeport actions run', () => {
  it('prints the output, and exits with 12 when the action fails', async () => {
    const run = await cli(['actions', 'run', 'echo', 'c1', '--input', '@-'], '{"n": 1}');
    expect([run.status, run.errors, run.json()]).toEqual([0, '', { got: { n: 1 } }]);
    expect((await cli(['actions', 'run', 'echo', 'c1', '--input', '"x"', '--jq', '.got'])).output).toBe('x\n');

    const failed = await cli(['actions', 'run', 'breaks', 'c1']);
    expect([failed.status, failed.output]).toEqual([12, '']);
    expect(failed.errors).toMatch(/^error: The action failed: .*no row at all/);
    expect((await cli(['actions', 'run', 'breaks', 'c1', '--json'])).json().error.message).toContain('no row at all');
    expect((await cli(['actions', 'run', 'nothing', 'c1'])).status).toBe(1);

    const later = (await cli(['actions', 'run', 'echo', 'c1', '--input', '2', '--async'])).json();
    const done = await waitFor(
      async () => {
        const { output, status } = await cli(['api', 'GET', later.statusUrl]);
        return status === 0 && output;
      },
      { what: 'the result' },
    );
    expect(JSON.parse(done)).toEqual({ got: 2 });
  });
});

describe('homeport syncs and records', () => {
  it('run a sync, and show its state and records', async () => {
    const run = await cli(['syncs', 'run', 'items', 'c1', '--full']);
    expect([run.status, run.output]).toEqual([0, expect.stringContaining('items was told to run on c1')]);
    await waitFor(
      async () => (await cli(['records', 'list', 'Item', 'c1', '--jq', '.records | length'])).output === '3\n',
      {
        what: 'the records',
      },
    );
    await waitFor(async () => (await cli(['syncs', 'list'])).output.includes('Item 3'), { what: 'the count' });
    expect((await cli(['syncs', 'list', '--connection', 'c1'])).output).toMatch(/^items +acme +c1 +\w+ +.*Item 3/m);

    const table = await cli(['records', 'list', 'Item', 'c1']);
    expect(table.output).toMatch(/^1 +added +.*text: one/m);
    const lines = (await cli(['records', 'query', 'Item', 'c1', '--ids', '1,3'])).output.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(['one', 'three']);
    expect((await cli(['records', 'query', 'Item', 'c1', '--filter', 'deleted'])).errors).toContain(
      'No record of Item fits',
    );

    const first = await cli(['records', 'query', 'Item', 'c1', '-n', '2', '--json']);
    expect(first.json().records).toHaveLength(2);
    const rest = await cli([
      'records',
      'query',
      'Item',
      'c1',
      '--cursor',
      first.json().next_cursor,
      '--jq',
      '.records[].text',
    ]);
    expect(rest.output).toBe('three\n');
    expect(
      (await cli(['records', 'query', 'Item', 'c1', '--all', '--jq', '(.records | length), .next_cursor'])).output,
    ).toBe('3\nnull\n');
    expect((await cli(['records', 'list', 'Item', 'c1', '-n', '0'])).status).toBe(64);
    expect((await cli(['records', 'list', 'Item', 'c1', '--modified-after', 'never'])).status).toBe(64);
  });

  it('start and pause the schedule, on one connection or all', async () => {
    expect((await cli(['syncs', 'start', 'items', 'c1'])).status).toBe(0);
    const state = async (): Promise<string> =>
      (await cli(['syncs', 'list', '--jq', '.[] | select(.name == "items") | .status'])).output.trim();
    await waitFor(async () => ['RUNNING', 'SUCCESS'].includes(await state()), { what: 'the start' });
    const paused = await cli(['syncs', 'pause', 'items', '--every', '--json']);
    expect([paused.status, paused.json().provider_config_key]).toEqual([0, 'acme']);
    await waitFor(async () => (await state()) === 'PAUSED', { what: 'the pause' });

    expect((await cli(['syncs', 'pause', 'items'])).status).toBe(64);
    const unknown = await cli(['syncs', 'pause', 'nothing', 'c1']);
    expect([unknown.status, unknown.output]).toEqual([1, '']);
    expect((await cli(['syncs', 'run', 'nothing', '--every'])).errors).toContain('There is no sync "nothing"');
    expect((await cli(['syncs', 'run', 'items', 'c1', '--empty-records'])).status).toBe(64);
  });
});

describe('homeport functions', () => {
  it('lists them, and shows one with its source', async () => {
    expect((await cli(['functions', 'list'])).output).toMatch(/^items +sync +acme +on +every day/m);
    expect((await cli(['functions', 'list', '--type', 'action', '--jq', 'map(.name) | sort | join(" ")'])).output).toBe(
      'breaks echo\n',
    );
    expect((await cli(['functions', 'get', 'echo'])).json()).toMatchObject({ name: 'echo', type: 'action' });
    expect((await cli(['functions', 'get', 'echo', '--code'])).output).toContain('return { got: input ?? null };');
    expect((await cli(['functions', 'get', 'nothing'])).status).toBe(1);
    expect((await cli(['functions', 'list', '--type', 'other'])).status).toBe(64);
  });
});

describe('homeport keys and key show', () => {
  it('creates, lists and revokes a key, and prints the secret key of the environment', async () => {
    expect((await cli(['key', 'show'])).output).toBe(`${hub.server.secretKey}\n`);

    const made = await cli(['keys', 'create', 'reader', '--scopes', 'environment:connections:list']);
    const secret = made.output.trim();
    expect([made.status, made.errors]).toEqual([0, expect.stringContaining('not shown again')]);
    const call = (): Promise<Response> =>
      fetch(`${hub.server.url}/connections`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await call()).status).toBe(200);
    const listed = await cli(['keys', 'list']);
    expect(listed.output).toMatch(/^reader +\d+ +environment:connections:list/m);
    expect(listed.output).not.toContain(secret);

    expect((await cli(['keys', 'revoke', 'reader'])).status).toBe(64);
    expect((await cli(['keys', 'revoke', 'reader', '--auto-confirm'])).status).toBe(0);
    expect((await call()).status).toBe(401);
    expect((await cli(['keys', 'revoke', 'reader', '--auto-confirm'])).errors).toContain('There is no key "reader"');
    expect((await cli(['keys', 'create', 'x', '--scopes', 'nonsense'])).status).toBe(1);
  });

  it('limits a key to the connections that are named', async () => {
    await cli(['connections', 'add', 'acme', 'second', '-c', '{"apiKey": "key"}']);
    const ids = (await cli(['connections', 'list', '--json']))
      .json()
      .map((one: { connection_id: string }) => one.connection_id);
    const [mine] = ids;
    const made = await cli(['keys', 'create', 'limited', '--connection', mine, '--json']);
    expect(made.json()).toMatchObject({ display_name: 'limited', connections: [mine] });
    const answer = await fetch(`${hub.server.url}/connections`, {
      headers: { authorization: `Bearer ${made.json().secret}` },
    });
    const { connections } = (await answer.json()) as { connections: Array<{ connection_id: string }> };
    expect([ids.length > 1, connections.map((one) => one.connection_id)]).toEqual([true, [mine]]);

    const unknown = await cli(['keys', 'create', 'x', '--connection', 'nobody']);
    expect([unknown.status, unknown.output]).toEqual([1, '']);
    expect(unknown.errors).toContain('There is no connection "nobody"');
    await cli(['connections', 'delete', 'second', '--auto-confirm']);
  });
});

describe('homeport logs --query', () => {
  it('shows what fits, also while it follows', async () => {
    await hub.action('echo', 1);
    await hub.action('breaks', 1);
    const fits = [
      'logs',
      '--query',
      'function:breaks state:failed',
      '--jq',
      'map(.syncConfigName) | unique | join(" ")',
    ];
    await waitFor(async () => (await cli(fits)).output === 'breaks\n', { what: 'the log' });
    expect((await cli(['logs', '--query', 'function:no-such-function'])).output).toBe('');
    const wrong = await cli(['logs', '--query', 'state:nonsense']);
    expect([wrong.status, wrong.errors]).toEqual([64, expect.stringContaining('There is no state "nonsense"')]);

    const run = await repeatWhile(
      async () => {
        await hub.action('echo', 2);
        await hub.action('breaks', 2);
      },
      runCliProcess(['logs', '--follow', '-n', '1', '--query', 'function:echo'], {
        cwd: folder.path,
        home: hub.server.home,
        onOutput: (output) => (output.trim().split('\n').length > 4 ? 'stop' : undefined),
      }),
    );
    expect(run.status).toBe(0);
    expect(run.output).toContain('echo');
    expect(run.output).not.toContain('breaks');
  });
});
