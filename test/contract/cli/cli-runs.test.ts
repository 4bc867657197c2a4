// @module-tag slow
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/** Uses every parameter, because the type check reports unused ones. */
const CLEAN = 'return [nango.connectionId, input];';
const CANARY = 'acme-key-canary-4711';

let hub: FunctionHub;
let project: TempHome;

beforeAll(async () => {
  hub = await startFunctionHub({});
  const credentials = { type: 'API_KEY', apiKey: CANARY };
  const endUser = { id: 'u', email: 'canary@corp.example' };
  await hub.addConnection('canary', { credentials, end_user: endUser, metadata: { team: 'blue' } });
});
afterAll(() => hub?.stop());

beforeEach(async () => {
  project = await createTempHome();
  return () => project.remove();
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(project.path, path, '..'), { recursive: true });
  await writeFile(join(project.path, path), text);
}
const action = (name: string, body: string): Promise<void> => write(`acme/actions/${name}.ts`, actionSource(body));
const sync = (name: string, body: string): Promise<void> => write(`acme/syncs/${name}.ts`, syncSource(body));
const cli = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: project.path, home: hub.server.home });
const fixtureOf = async (name: string) =>
  JSON.parse(await readFile(join(project.path, `acme/tests/${name}.test.json`), 'utf8'));

describe('homeport compile', () => {
  /** The same files in each project: the hub's folder keeps the results of their type check, which takes seconds. */
  const writeClean = async (): Promise<void> => {
    await action('one', CLEAN);
    await sync('items', 'await nango.log(1);');
  };

  it('says where each error is and ends with 10', async () => {
    await writeClean();
    await action(
      'bad',
      "const { readFileSync } = await import('fs'); nango.get({ endpoint: '/a' }); return readFileSync;",
    );

    const run = await cli('compile');

    expect(run.status).toBe(10);
    expect(run.errors).toMatch(/^acme\/actions\/bad\.ts:\d+:\d+ error .* method_need_await$/m);
    expect(run.errors).not.toMatch(/one\.ts|items\.ts/);
  });

  it('lists what it compiled, for programs too', { tags: ['main-path'] }, async () => {
    await writeClean();

    expect((await cli('compile', '--json')).json()).toEqual({
      functions: [
        { integration: 'acme', type: 'action', name: 'one', path: 'acme/actions/one.ts' },
        { integration: 'acme', type: 'sync', name: 'items', path: 'acme/syncs/items.ts' },
      ],
      diagnostics: [],
    });
  });

  it('writes bundles and metadata in a project with a marker folder', async () => {
    await action('one', CLEAN);
    await mkdir(join(project.path, '.nango'));

    expect((await cli('compile')).status).toBe(0);

    expect(await readFile(join(project.path, 'build/acme_actions_one.cjs'), 'utf8')).toContain('module.exports');
    const [described] = JSON.parse(await readFile(join(project.path, '.nango/nango.json'), 'utf8'));
    expect(described).toMatchObject({ providerConfigKey: 'acme', syncs: [], actions: [{ name: 'one' }] });
  });

  it('refuses projects of the old format and says how to go on', async () => {
    await write('nango.yaml', 'integrations: {}');

    const run = await cli('compile');

    expect([run.status, run.errors]).toEqual([10, expect.stringMatching(/homeport(?:\.mjs)? migrate/)]);
  });
});

describe('homeport dryrun', () => {
  it('runs an action from its source, with the credentials of the hub', { tags: ['main-path'] }, async () => {
    hub.provider.on('POST /v1/things', (request) => ({
      body: { got: JSON.parse(String(request.body)), key: request.headers['authorization'] },
    }));
    await action(
      'make',
      "return (await nango.post({ endpoint: '/v1/things', data: input, params: { a: 'b c' } })).data;",
    );

    const run = await cli('dryrun', 'make', 'canary', '--input', '{"x":1}', '--json');

    expect(run.json().output).toEqual({ got: { x: 1 }, key: `Bearer ${CANARY}` });
    expect(run.status).toBe(0);
  });

  it('prints console output, also while the file is loaded', async () => {
    const source = actionSource(
      "nango.setLogger({ level: 'off' }); console.warn('n:', 1, { a: [input] }, new Error('e'));",
    );
    await write('acme/actions/prints.ts', `console.log('loaded', undefined);\n${source}`);

    const run = await cli('dryrun', 'prints', 'canary', '--input', '"x"');

    expect(run.errors).toMatch(/^info +loaded undefined$/m);
    expect(run.errors).toMatch(/^warn +n: 1 {"a":\["x"\]} Error: e$/m);
    expect(run.output.trim()).toBe('null');
  });

  it('collects the records that a sync saves, and stores nothing', { tags: ['main-path'] }, async () => {
    await sync(
      'items',
      `await nango.batchSave([{ id: '1', text: 'a' }, { id: '1', text: 'b' }], 'Item');
       await nango.batchDelete([{ id: '2' }], 'Item');
       await nango.log(JSON.stringify([await nango.getMetadata(), await nango.getCheckpoint?.(), nango.isCLI]));`,
    );

    const run = await cli(
      'dryrun',
      'items',
      'canary',
      '--metadata',
      '{"team":"red"}',
      '--checkpoint',
      '{"p":1}',
      '--json',
    );

    expect(run.json()).toMatchObject({
      counts: { added: 1, updated: 0, deleted: 1 },
      added: { Item: [{ id: '1', text: 'b' }] },
      checkpoint: { p: 1 },
    });
    expect(run.json().logs.at(-1).message).toBe('[{"team":"red"},{"p":1},true]');
    expect((await hub.records('model=Item')).status).toBe(200);
    expect((await hub.records('model=Item')).body.records ?? []).toEqual([]);
  });

  it('warns of records that do not match the models, and fails for them when asked to validate', async () => {
    const typed = actionSource('return { id: input.n };')
      .replace('input: z.any()', 'input: z.object({ n: z.number() })')
      .replace('output: z.any()', 'output: z.object({ id: z.number() })');
    await write('acme/actions/typed.ts', typed);
    await sync('items', "await nango.batchSave([{ id: '1', text: 'a' }, { id: '2' }] as never[], 'Item');");

    const warned = await cli('dryrun', 'typed', 'c1', '-i', '{"n":"x"}');
    expect([warned.status, JSON.parse(warned.output)]).toEqual([0, { id: 'x' }]);
    expect(warned.errors).toMatch(/warning The input does not match its model:\n {2}ActionInput_acme_typed\.n: /);
    expect(warned.errors).toMatch(/warning The output does not match its model:\n {2}ActionOutput_acme_typed\.id: /);
    expect((await cli('dryrun', 'typed', 'c1', '-i', '{"n":1}')).errors).not.toContain('warning');
    const refused = await cli('dryrun', 'typed', 'c1', '-i', '{"n":"x"}', '--validate');
    expect([refused.status, refused.errors]).toEqual([
      12,
      expect.stringContaining('The input does not match its model'),
    ]);

    const saved = await cli('dryrun', 'items', 'c1');
    expect([saved.status, saved.errors]).toEqual([
      0,
      expect.stringMatching(/warning What was saved does not match its model:\n {2}Item\.1\.text/),
    ]);
    expect((await cli('dryrun', 'items', 'c1', '--validation')).status).toBe(12);
  });

  it.each([
    '{"at":{"x":1}}',
    '{"at":null}',
    JSON.stringify(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, n]))),
  ])('starts from no checkpoint that a run could not save: %s', async (checkpoint) => {
    await sync('items', 'await nango.getCheckpoint();');

    const run = await cli('dryrun', 'items', 'c1', '-c', checkpoint);

    expect([run.status, run.errors]).toEqual([64, expect.stringContaining('--checkpoint')]);
  });

  it('ends with 12 when the function fails, showing the error', { tags: ['main-path'] }, async () => {
    await action('refuse', "throw new nango.ActionError({ code: 'no_such_thing', id: input });");

    const run = await cli('dryrun', 'refuse', 'c1', '-i', '5');

    expect(run.status).toBe(12);
    expect(run.errors).toContain('action_script_runtime_error');
    expect(run.errors).toContain('"code": "no_such_thing"');
  });

  it('passes on errors of a provider, as a run in the hub would', async () => {
    hub.provider.on('GET /v1/missing', () => ({ status: 404, body: { why: 'gone' } }));
    await action(
      'read',
      "try { await nango.get({ endpoint: '/v1/missing' }); } catch (e) { return [e.status, e.response.data]; }",
    );

    expect((await cli('dryrun', 'read', 'c1', '--json')).json().output).toEqual([404, { why: 'gone' }]);
  });

  it('never reaches the hub’s own routes, with any endpoint', async () => {
    await action('escape', 'return (await nango.get({ endpoint: input })).data;');

    const run = await cli('dryrun', 'escape', 'c1', '-i', '"/../connections"');

    expect(run.status).toBe(12);
    expect(run.errors).toContain('leads out of the provider');
  });

  it('requires the missing values when it cannot ask', async () => {
    await action('one', 'return 1;');
    await write('other/actions/one.ts', actionSource('return 2;'));

    expect((await cli('dryrun', 'one')).errors).toContain('--integration');
    expect((await cli('dryrun', 'one', '--integration-id', 'acme')).errors).toContain(
      'homeport.mjs dryrun one <connection_id>',
    );
    expect((await cli('dryrun', 'two', 'c1')).errors).toContain('There are: one');
    expect((await cli('dryrun', 'one', 'nobody', '--integration-id', 'acme')).status).toBe(1);
  });

  it('takes input from a file, and says what is wrong with it', async () => {
    await action('echo', 'return input;');
    await write('in.json', '{"from":"file"}');

    expect((await cli('dryrun', 'echo', 'c1', '-i', '@in.json', '--json')).json().output).toEqual({ from: 'file' });
    expect((await cli('dryrun', 'echo', 'c1', '-i', '@no.json')).errors).toContain('no.json: there is no such file');
    expect((await cli('dryrun', 'echo', 'c1', '-i', '{x')).status).toBe(64);
  });
});

describe('a recording', () => {
  const SOURCE = `
    const connection = await nango.getConnection();
    const first = await nango.get({ endpoint: '/v1/jobs/1', params: { key: connection.credentials.apiKey } });
    const second = await nango.get({ endpoint: '/v1/jobs/1', params: { key: connection.credentials.apiKey } });
    return { states: [first.data.state, second.data.state], mail: first.data.owner, team: connection.metadata.team };`;

  beforeEach(() => {
    let asked = 0;
    hub.provider.on('GET /v1/jobs/1', (request) => ({
      body: {
        state: ++asked === 1 ? 'pending' : 'done',
        owner: 'canary@corp.example',
        access_token: 'another-canary-secret',
        seen: request.headers['authorization'],
      },
      headers: { 'set-cookie': 'session=cookie-canary', 'x-request-id': 'r1', link: '<https://x/?page=2>; rel="next"' },
    }));
  });

  it('contains no secret of the connection or of the provider’s answers', { tags: ['main-path'] }, async () => {
    await action('poll', SOURCE);

    expect((await cli('dryrun', 'poll', 'canary', '--save')).status).toBe(0);

    const text = JSON.stringify(await fixtureOf('poll'));
    for (const secret of [CANARY, 'canary@corp.example', 'another-canary-secret', 'cookie-canary'])
      expect(text).not.toContain(secret);
    const fixture = await fixtureOf('poll');
    expect(fixture.output).toEqual({ states: ['pending', 'done'], mail: 'redacted@example.com', team: 'blue' });
    expect(fixture.nango.getConnection).toEqual({ connectionId: 'canary', provider: 'acme' });
    const [entry] = fixture.api.get['/v1/jobs/1'];
    expect(entry).toMatchObject({
      status: 200,
      hash: expect.stringMatching(/^[0-9a-f]{40}$/),
      request: { params: { key: 'REDACTED' } },
    });
    expect(Object.keys(entry.headers)).toEqual(['content-type', 'link']);
  });

  it('is replayed in its order, without the network, and fails when the function changes', async () => {
    // The form for replays: the request contains no part of the credentials.
    await action('poll', SOURCE.replaceAll(', params: { key: connection.credentials.apiKey }', ''));
    await cli('dryrun', 'poll', 'canary', '--save');
    const asked = hub.provider.requests.length;

    // Uses a data folder without a hub.
    const replayed = await runCli(['test'], { cwd: project.path, home: project.path });

    expect([replayed.status, replayed.output]).toEqual([0, expect.stringContaining('1 passed, 0 failed')]);
    expect(hub.provider.requests.length).toBe(asked);

    await action(
      'poll',
      SOURCE.replaceAll(', params: { key: connection.credentials.apiKey }', '').replace('first.data.state,', "'x',"),
    );
    const changed = await cli('test');
    expect(changed.status).toBe(12);
    expect(changed.output).toContain('output.states.0: "pending" was recorded, "x" came');
    expect((await cli('test', '--update')).output).toContain('updated');
    expect((await cli('test', 'poll')).status).toBe(0);
  });
});

describe('homeport test', () => {
  const fixture = (name: string, value: unknown): Promise<void> =>
    write(`acme/tests/${name}.test.json`, JSON.stringify(value));

  it('reports requests that were not recorded', async () => {
    await action('ask', "return (await nango.get({ endpoint: '/v1/new' })).data;");
    await fixture('ask', { output: 1, api: {} });

    const run = await cli('test', '--json');

    expect(run.status).toBe(12);
    expect(run.json().results[0]).toMatchObject({
      verdict: 'failed',
      failure: { message: expect.stringContaining('No mock found for GET v1/new') },
    });
  });

  it('compares saved and deleted records model by model', async () => {
    await sync(
      'items',
      "await nango.batchSave([{ id: 1, text: 'a' }], 'Item'); await nango.batchDelete([{ id: '9', text: 'x' }], 'Item');",
    );
    await fixture('items', {
      nango: { batchSave: { Item: [{ id: 1, text: 'a' }] }, batchDelete: { Item: [{ id: '9' }] } },
    });
    expect((await cli('test')).status).toBe(0);

    await fixture('items', {
      nango: { batchSave: { Item: [{ id: '1', text: 'b' }] }, batchDelete: { Item: [{ id: '8' }] } },
    });
    const { output } = await cli('test');
    expect(output).toContain('batchSave.Item.0.text: "b" was recorded, "a" came');
    expect(output).toContain('batchDelete.Item.0.id: "8" was recorded, "9" came');
  });

  it('passes a recording that only fits the mocks, and says so', async () => {
    await action('status', "return (await nango.get({ endpoint: '/v1/a' })).status;");
    await fixture('status', { output: 404, api: { get: { '/v1/a': { response: {}, status: 404 } } } });

    const run = await cli('test');

    expect([run.status, run.output]).toEqual([0, expect.stringContaining('passes only with the mock classes')]);
  });

  it('passes what the mocks answer otherwise: members that were not recorded, text, the address of webhooks', async () => {
    const missing = (member: string): string =>
      `try { return [await nango.${member}()]; } catch (e) { return e.message.includes('Missing mock data for ${member}'); }`;
    await action('metadata', missing('getMetadata'));
    await fixture('metadata', { output: true, nango: { getConnection: { connectionId: 'c', provider: 'acme' } } });
    await action('connection', missing('getConnection'));
    await fixture('connection', { output: true, nango: { getMetadata: { a: 1 } } });
    await action('text', "return typeof (await nango.get({ endpoint: '/v1/a' })).data;");
    await fixture('text', { output: 'string', api: { get: { '/v1/a': { response: '{"a":1}' } } } });
    await action(
      'bytes',
      "return (await nango.get({ endpoint: '/v1/a', responseType: 'arraybuffer' })).data.toString();",
    );
    await fixture('bytes', { output: 'hello', api: { get: { '/v1/a': { response: 'aGVsbG8=' } } } });
    await action('address', 'return nango.getWebhookURL();');
    await fixture('address', { output: 'https://example.com/webhook' });

    const run = await cli('test');

    expect(run.output).toContain('5 passed, 0 failed');
  });

  it('finds records that were saved and not recorded, and an output that was not recorded', async () => {
    await sync('items', "await nango.batchSave([{ id: '1' }], 'Item');");
    await fixture('items', { nango: { batchSave: {} } });
    await action('answer', 'return 5;');
    await fixture('answer', { input: {} });

    const { output, status } = await cli('test');

    expect(status).toBe(12);
    expect(output).toContain('batchSave.Item.0: {"id":"1"} was not recorded');
    expect(output).toContain('output: 5 was not recorded');
  });

  it('replays recordings of the old layout, and writes them again as one file', async () => {
    await action(
      'old',
      "return [(await nango.get({ endpoint: '/v1/a' })).data, (await nango.getConnection()).provider, input];",
    );
    await write('acme/mocks/old/input.json', '7');
    await write('acme/mocks/old/output.json', '[{"a":1},"other",7]');
    await write('acme/mocks/nango/getConnection.json', '{"connectionId":"c","provider":"other"}');
    await write('acme/mocks/nango/get/proxy/v1/a/old.json', '{"a":1}');
    expect((await cli('test')).output).toContain('1 passed, 0 failed');

    await write('acme/mocks/old/output.json', '[{"a":2},"other",7]');
    const failed = await cli('test', '--json');
    expect(failed.json().results).toMatchObject([{ fixture: 'acme/mocks/old', verdict: 'differs' }]);
    await cli('test', '--update');

    expect(await fixtureOf('old')).toMatchObject({ output: [{ a: 1 }, 'other', 7], _migrated: true });
    expect((await cli('test')).output).toContain('1 passed, 0 failed');
  });

  it('replays a response of the old layout for every request of its path, as one page', async () => {
    await sync(
      'paged',
      `for await (const page of nango.paginate({ endpoint: '/v1/paged', paginate: { type: 'cursor', cursor_path_in_response: 'next', cursor_name_in_request: 'after', response_path: 'items' } }))
        await nango.batchSave(page.map((id) => ({ id })), 'Item');
      const { data } = await nango.post({ endpoint: '/graphql', data: { query: 'any' } });
      await nango.batchSave([{ id: data.id }], 'Item');`,
    );
    await write('acme/mocks/paged/Item/batchSave.json', '[{"id":"a"},{"id":"b"},{"id":"g"}]');
    await write('acme/mocks/nango/get/proxy/v1/paged/paged.json', '{"items":["a","b"],"next":"c2"}');
    await write('acme/mocks/nango/post/proxy/graphql/paged.json', '{"id":"g"}');
    expect((await cli('test')).output).toContain('1 passed, 0 failed');

    await rm(join(project.path, 'acme/mocks/nango/post'), { recursive: true });
    expect((await cli('test')).output).toContain('Its place is mocks/nango/post/proxy/graphql/paged.json.');
  });

  it('fails a recording that cannot be read, and it alone', async () => {
    await action('good', 'return 1;');
    await fixture('good', { output: 1 });
    await action('bad', 'return 1;');
    await write('acme/tests/acme-bad.test.json', '{"input":"canary" oops}');

    const run = await cli('test');

    expect([run.status, run.output]).toEqual([12, expect.stringContaining('1 passed, 1 failed')]);
    expect(run.output).toContain('acme/tests/acme-bad.test.json is not JSON (line 1 column 19). Record the run again.');
    expect(run.output).not.toContain('canary');
  });

  it('reports functions that do not compile, and finds nothing where nothing is recorded', async () => {
    await action('one', 'return 1;');
    expect((await cli('test')).errors).toContain('Nothing is recorded yet');

    await action('one', 'return (;');
    await fixture('one', { output: 1 });
    expect((await cli('test')).output).toContain('acme/actions/one.ts:');
    await rm(join(project.path, 'acme/tests'), { recursive: true });
  });
});
