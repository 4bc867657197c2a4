// @module-tag slow
import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { importConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type AskingClient,
  type CallResult,
  choose,
  connectAsking,
  type Person,
  type Shown,
} from '../mcp/mcp-clients.ts';
import { type McpFixture, startMcpFixture } from '../mcp/mcp-fixture.ts';

const PATH = 'practice/actions/add-note.ts';

/** Creates an issue, and reads who does it. */
function source({ output = 'z.object({ id: z.string(), by: z.string() })', extra = '' } = {}): string {
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Adds a note',
  version: '1.0.0',
  endpoint: { method: 'POST', path: '/practice/add-note' },
  input: z.object({ title: z.string() }),
  output: ${output},

  exec: async (nango, input) => {
    const me = await nango.get<{ id: string }>({ endpoint: '/v1/me', retries: 3 });
    ${extra}
    const made = await nango.post<{ id: string }>({ endpoint: '/v1/issues', data: { title: input.title } });
    return { id: String(made.data.id), by: String(me.data.id) };
  },
});
`;
}

const ANSWERS = [{ method: 'POST', path: '/v1/issues', body: { id: 'issue-77', title: 'Hello' } }];
const RUN = { connection_id: 'me', input: { title: 'Hello' }, answers: ANSWERS };

const STARTED = new Date(Date.now() - 60_000).toISOString();

let hub: McpFixture;
let secret: string;
beforeAll(async () => {
  hub = await startMcpFixture();
  ({ secret } = await hub.createKey('Builder', ['environment:manage_mcp']));
});
afterAll(() => hub?.stop());
beforeEach(() => switchBuilding(true));

async function switchBuilding(agents_may_build: boolean): Promise<void> {
  await hub.dashboard.call('PATCH /api/v1/settings', { body: { agents_may_build } });
}

async function connect(person?: Person, key = secret): Promise<AskingClient> {
  const client = await connectAsking('2025-11-25', {
    url: `${hub.server.url}/mcp/manage`,
    headers: { authorization: `Bearer ${key}` },
    ...(person ? { person } : {}),
  });
  onTestFinished(() => client.close());
  return client;
}

const textOf = ({ content }: CallResult): string => content.map(({ text }) => text).join();
// Each test asserts the members that it needs.
// biome-ignore lint/suspicious/noExplicitAny: see above
const dataOf = (result: CallResult): any => result.structuredContent;

async function prove(client: AskingClient, path = PATH, code = source(), run: object = RUN): Promise<void> {
  for (const [tool, input] of [
    ['write_function', { path, code }],
    ['compile', { path }],
    ['record', { path, ...run }],
    ['replay', { path, connection_id: 'me' }],
  ] as const) {
    const result = await client.call(tool, input);
    if (result.isError) throw new Error(`${tool}: ${textOf(result)}`);
  }
}

/** Issues of the last minutes. */
const issuesOf = async (): Promise<string> =>
  (
    await hub.api.send(`GET /proxy/v1/issues?limit=100&updated_since=${STARTED}` as 'GET /proxy/v1/issues', {
      headers: { 'provider-config-key': 'practice', 'connection-id': 'me' },
    })
  ).bytes.toString();

const names = async (): Promise<string> => (await hub.api.send('GET /scripts/config')).bytes.toString();

describe('an agent that builds', () => {
  it('finds a provider, writes, mends, runs dry, records, replays, asks, and the function runs', {
    tags: ['main-path'],
  }, async () => {
    const shown: Shown[] = [];
    const client = await connect(async (question, signal) => {
      shown.push(question);
      return choose('Allow once')(question, signal);
    });

    const found = dataOf(await client.call('find_providers', { search: 'practice' }));
    expect(found.providers.map(({ provider }: { provider: string }) => provider)).toContain('practice');
    const provider = dataOf(await client.call('read_provider', { provider: 'practice' }));
    expect(provider).toMatchObject({ provider: 'practice', base_url: expect.any(String) });
    const { integrations } = dataOf(await client.call('list_integrations'));
    expect(integrations).toContainEqual(
      expect.objectContaining({ integration: 'practice', connections: ['me', 'other'] }),
    );
    expect(JSON.stringify(integrations)).not.toContain(PRACTICE_KEY);
    const starter = dataOf(await client.call('read_function', { path: PATH }));
    expect(starter).toMatchObject({ from: 'starter', code: expect.stringContaining('createAction') });

    await client.call('write_function', { path: PATH, code: source().replace('async (nango, input)', 'async (nango') });
    const broken = await client.call('compile', { path: PATH });
    expect(broken.isError).toBe(true);
    expect(dataOf(broken)).toMatchObject({ compiles: false, diagnostics: expect.any(Array) });
    expect(dataOf(broken).diagnostics[0]).toMatchObject({ file: PATH, line: 12, severity: 'error' });
    await client.call('write_function', { path: PATH, code: source().replace('me.data.id', 'me.data.nothing') });
    expect(dataOf(await client.call('compile', { path: PATH }))).toMatchObject({
      compiles: true,
      types_are_clean: false,
      diagnostics: [{ code: 'type_error', file: PATH }],
    });
    await client.call('write_function', { path: PATH, code: source() });
    expect(dataOf(await client.call('compile', { path: PATH }))).toMatchObject({
      compiles: true,
      types_are_clean: true,
    });

    const unanswered = await client.call('dry_run', { path: PATH, connection_id: 'me', input: { title: 'Hello' } });
    expect(dataOf(unanswered).writes_held_back).toEqual([
      { method: 'POST', path: '/v1/issues', body: { title: 'Hello' }, answered_by: 'an empty object' },
    ]);
    const tried = await client.call('dry_run', { path: PATH, ...RUN });
    expect(dataOf(tried)).toMatchObject({ passed: true, output: { id: 'issue-77', by: expect.any(String) } });
    const logged = dataOf(await client.call('read_logs', { operation_id: dataOf(tried).operation_id }));
    expect(logged).toMatchObject({ state: 'success', messages: expect.any(Array) });
    expect(dataOf(await client.call('record', { path: PATH, ...RUN }))).toMatchObject({
      passed: true,
      recording: 'practice/tests/add-note.test.json',
    });
    expect(dataOf(await client.call('replay', { path: PATH, connection_id: 'me' }))).toMatchObject({
      outcome: 'passed',
    });
    expect(await names()).not.toContain('add-note');

    const deployed = await client.call('deploy', { path: PATH, connection_id: 'me' });

    expect(dataOf(deployed)).toMatchObject({ deployed: true, type: 'action', name: 'add-note' });
    expect(shown).toHaveLength(1);
    const message = shown[0]?.message ?? '';
    for (const text of [PATH, 'dry run', 'replay', 'POST', '/v1/issues', 'createAction'])
      expect(message).toContain(text);
    const [field] = Object.values(shown[0]?.requestedSchema.properties ?? {});
    expect(JSON.stringify(field)).not.toMatch(/session|always/i);
    expect(await readFile(join(hub.server.workspace, PATH), 'utf8')).toBe(source());
    expect(await issuesOf()).not.toContain('"Hello"');
    const run = await hub.api.send('POST /action/trigger', {
      headers: { 'provider-config-key': 'practice', 'connection-id': 'me' },
      body: { action_name: 'add-note', input: { title: 'From the deployed function' } },
    });
    expect(run.status).toBe(200);
    expect(await issuesOf()).toContain('From the deployed function');
  });
});

describe('a proof', () => {
  const path = 'practice/actions/prove-me.ts';
  const deploy = { path, connection_id: 'me' };

  it('names the step that is missing, and nobody is asked', async () => {
    const path = 'practice/actions/step-by-step.ts';
    const client = await connect(async () => {
      throw new Error('a question');
    });
    const refusal = async (): Promise<string> => {
      const result = await client.call('deploy', { path, connection_id: 'me' });
      expect(result.isError).toBe(true);
      return textOf(result);
    };
    expect(await refusal()).toContain('Write it first');
    await client.call('write_function', { path, code: 'export default 1;' });
    expect(await refusal()).toContain('does not compile');
    await client.call('write_function', { path, code: source() });
    expect(await refusal()).toContain('call compile');
    await client.call('compile', { path });
    expect(await refusal()).toMatch(/call dry_run.*call record.*call replay/s);
    await client.call('dry_run', { path, ...RUN });
    expect(await refusal()).not.toContain('call dry_run');
    await client.call('record', { path, ...RUN });
    expect(await refusal()).toMatch(/call replay/);
  });

  it('holds for its text only', async () => {
    const client = await connect();
    await prove(client, path);
    await client.call('write_function', { path, code: source().replace('Adds a note', 'Adds another') });

    expect(textOf(await client.call('deploy', deploy))).toMatch(/call compile.*call dry_run.*call replay/s);
  });

  it('holds for its connection only', async () => {
    const client = await connect();
    await prove(client, path);

    const refused = await client.call('deploy', { path, connection_id: 'other' });

    expect(textOf(refused)).toMatch(/connection \\?"other\\?"/);
  });

  it('ends with its connection, also when one of the same name comes', async () => {
    await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'short' });
    const client = await connect();
    await prove(client, path);
    const onShort = { ...RUN, connection_id: 'short' };
    await client.call('record', { path, ...onShort });
    await client.call('replay', { path, connection_id: 'short' });
    await hub.api.send('DELETE /connections/short?provider_config_key=practice');
    await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'short' });

    expect(textOf(await client.call('deploy', { path, connection_id: 'short' }))).toContain('call dry_run');
    await hub.api.send('DELETE /connections/short?provider_config_key=practice');
  });

  it('needs a recording that nobody changed', async () => {
    const client = await connect();
    await prove(client, path);
    const file = join(hub.server.home, 'drafts', '1', 'practice/tests/prove-me.test.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('issue-77', 'issue-78'));

    expect(textOf(await client.call('replay', deploy))).toContain('was changed');
  });

  it('is asked for however generous the policy is, and a denial ends it', async () => {
    const client = await connect();
    await prove(client, path);
    const call = client.call('deploy', deploy);
    expect(await hub.question()).toMatchObject({ tool: 'deploy', decisions: ['allow-once', 'deny', 'deny-always'] });
    await hub.decide('deny');

    expect(textOf(await call)).toContain('denied');
    expect(await names()).not.toContain('prove-me');
  });

  it('deploys nothing when the draft or the live file changes while the person reads', async () => {
    const client = await connect();
    await prove(client, path);
    for (const change of [
      () => client.call('write_function', { path, code: source({ extra: '// more' }) }),
      async () => {
        await prove(client, path);
        await writeFile(join(hub.server.workspace, path), source({ extra: '// by a person' }));
      },
    ]) {
      const call = client.call('deploy', deploy);
      await hub.question();
      await change();
      await hub.decide('allow-once');
      expect(textOf(await call)).toMatch(/changed while the person read it|proof is not complete/);
      await prove(client, path);
    }
    expect(await readFile(join(hub.server.workspace, path), 'utf8')).toBe(source({ extra: '// by a person' }));
    await rm(join(hub.server.workspace, path));
    await waitFor(async () => !(await names()).includes('prove-me'), { what: 'the end of the function' });
  });

  it('is worth nothing when building was switched off while the person read', async () => {
    const client = await connect();
    await prove(client, 'practice/actions/switched.ts');
    const call = client.call('deploy', { path: 'practice/actions/switched.ts', connection_id: 'me' });
    await hub.question();
    await switchBuilding(false);
    await hub.decide('allow-once');

    expect(textOf(await call)).toContain('switched off');
    expect(await names()).not.toContain('switched');
  });
});

it('what cannot go live beside the other functions is taken back', async () => {
  const path = 'practice/actions/clashes.ts';
  const client = await connect(choose('Allow once'));
  // The endpoint of another action.
  await prove(client, path, source().replace('/practice/add-note', '/practice/notes'));

  const refused = await client.call('deploy', { path, connection_id: 'me' });

  expect(textOf(refused)).toMatch(/could not go live, and the file is as it was\. .*endpoint/);
  await expect(readFile(join(hub.server.workspace, path))).rejects.toThrow('ENOENT');
});

describe('the address', () => {
  const post = (key: string, headers: Record<string, string> = {}) =>
    fetch(`${hub.server.url}/mcp/manage`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });

  it('is closed until a person switches it on', async () => {
    await switchBuilding(false);
    const refused = await post(secret);

    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('homeport settings set agents_may_build true');
  });

  it('needs its own scope, and no page of another origin may use it', async () => {
    const { secret: tools } = await hub.createKey('Tools only', ['environment:mcp', 'environment:deploy']);

    expect((await post(tools)).status).toBe(403);
    expect((await post(secret, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(secret, { 'x-forwarded-for': '1.2.3.4' })).status).toBe(421);
    expect((await post(secret)).status).toBe(200);
  });

  it.each([
    ['POST /functions/deployments', { integration_id: 'practice', type: 'function' }],
    ['POST /functions/deployments/bundle', {}],
    ['POST /functions/dryruns', {}],
    ['POST /sync/deploy', {}],
    ['PATCH /environment/settings', { agents_may_build: true }],
    ['PUT /environment/mcp-policies', {}],
    ['GET /connections/me?provider_config_key=practice', undefined],
    ['POST /environment/api-keys', {}],
  ])('its key opens nothing else: %s', async (route, body) => {
    const { status } = await hub.api.send(route as 'POST /sync/deploy', {
      headers: { authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body }),
    });

    expect(status).toBe(403);
  });
});

describe('paths of drafts', () => {
  it.each([
    '../actions/x.ts',
    '../../etc/actions/x.ts',
    'practice/actions/../../x.ts',
    'practice/../actions/x.ts',
    '/etc/passwd',
    '/practice/actions/x.ts',
    'practice\\actions\\x.ts',
    'practice/actions/x.js',
    'practice/actions/x.ts.sh',
    'practice/actions/.ts',
    'practice/actions/a/b.ts',
    'practice/other/x.ts',
    'practice/actions/x\0.ts',
    '.ssh/actions/x.ts',
    '..%2f/actions/x.ts',
    'node_modules/actions/x.ts',
    'unknown/actions/x.ts',
  ])('%j is refused', async (path) => {
    const client = await connect();
    for (const [tool, more] of [
      ['write_function', { code: 'x' }],
      ['read_function', {}],
    ] as const) {
      const result = await client.call(tool, { path, ...more });
      expect(result.isError, `${tool} ${path}`).toBe(true);
    }
  });

  it('never lead through a link', async () => {
    const client = await connect();
    await client.call('write_function', { path: 'practice/actions/real.ts', code: source() });
    const drafts = join(hub.server.home, 'drafts', '1');
    const outside = join(hub.server.home, 'outside');
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'secret.ts'), 'secret');
    await symlink(join(outside, 'secret.ts'), join(drafts, 'practice/actions/soft.ts'));
    await link(join(outside, 'secret.ts'), join(drafts, 'practice/actions/hard.ts'));
    await symlink(outside, join(drafts, 'practice/on-events'));

    for (const path of ['practice/actions/soft.ts', 'practice/actions/hard.ts', 'practice/on-events/secret.ts']) {
      const read = await client.call('read_function', { path });
      expect(textOf(read), path).toContain('Links are not followed');
      const written = await client.call('write_function', { path, code: 'x' });
      expect(textOf(written), path).toContain('Links are not followed');
    }
    expect(await readFile(join(outside, 'secret.ts'), 'utf8')).toBe('secret');
  });
});

describe('a dry run of an agent', () => {
  const path = 'practice/actions/steals.ts';
  async function attempt(exec: string, more: object = {}): Promise<CallResult> {
    const client = await connect();
    const code = `import { createAction } from 'homeport';
import * as z from 'zod';
export default createAction({
  description: 'x', version: '1.0.0', input: z.void(), output: z.any(),
  exec: async (nango) => { ${exec} },
});
`;
    await client.call('write_function', { path, code });
    return client.call('dry_run', { path, connection_id: 'me', ...more });
  }
  /** As it is, backwards, and in base64. */
  const TOKEN = PRACTICE_KEY;
  const spellings = [TOKEN, [...TOKEN].reverse().join(''), Buffer.from(TOKEN).toString('base64')];
  const expectNoToken = (result: CallResult): void => {
    const text = textOf(result);
    for (const spelling of spellings) expect(text).not.toContain(spelling);
  };

  it.each([
    ['the connection', 'const c = JSON.stringify(await nango.getConnection());'],
    ['the token', 'const c = JSON.stringify(await nango.getToken());'],
    [
      'a forced renewal',
      'const c = JSON.stringify(await nango.getConnection(undefined, undefined, { forceRefresh: true }));',
    ],
    ['variables', 'const c = JSON.stringify(await nango.getEnvironmentVariables());'],
    ['the integration', "const c = JSON.stringify(await nango.getIntegration({ include: ['credentials'] }));"],
  ])('gives no credential to the code: %s', async (_name, read) => {
    const result = await attempt(`${read} return [c, [...c].reverse().join(''), btoa(c)];`);

    expectNoToken(result);
  });

  it.each([
    ['text', "const c = JSON.stringify((await nango.get({ endpoint: '/v1/echo' })).data);"],
    [
      'bytes',
      "const c = String.fromCharCode(...new Uint8Array((await nango.get({ endpoint: '/v1/echo', responseType: 'arraybuffer' })).data));",
    ],
    ['the request', "const c = JSON.stringify((await nango.get({ endpoint: '/v1/echo' })).config);"],
    [
      'an error',
      "let c = ''; try { await nango.get({ endpoint: '/v1/nowhere' }); } catch (error) { c = JSON.stringify([error, error.response]); }",
    ],
  ])('gives no credential that the provider repeats: %s', async (_name, read) => {
    const result = await attempt(`${read} return [c, [...c].reverse().join(''), btoa(c)];`);

    expect(textOf(result)).toContain('"passed": true');
    expectNoToken(result);
  });

  it('uses no other connection', async () => {
    const result = await attempt("return (await nango.get({ endpoint: '/v1/me', connectionId: 'other' })).data;");

    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('its own connection only');
  });

  it.each([
    ['POST', "await nango.post({ endpoint: '/v1/issues', data: { title: 'sneaked in' } });"],
    ['proxy', "await nango.proxy({ method: 'POST', endpoint: '/v1/issues', data: { title: 'sneaked in' } });"],
    ['an action', "await nango.triggerAction('write-note', { text: 'sneaked in' });"],
    ['fetch', "await nango.uncontrolledFetch({ url: new URL('https://example.com/'), method: 'POST' });"],
  ])('sends no write: %s', async (_name, write) => {
    await attempt(`${write} return 1;`);

    expect(await issuesOf()).not.toContain('sneaked in');
  });
});

it('a client of the newest revision is asked by a result, and repeats the call', async () => {
  const client = await connectAsking('2026-07-28', {
    url: `${hub.server.url}/mcp/manage`,
    headers: { authorization: `Bearer ${secret}` },
    person: choose('Allow once'),
  });
  onTestFinished(() => client.close());
  const path = 'practice/actions/newest.ts';
  await prove(client, path, source().replace('/practice/add-note', '/practice/newest'));

  const deployed = await client.call('deploy', { path, connection_id: 'me' });

  expect(textOf(deployed)).toContain('"deployed": true');
  await waitFor(async () => (await names()).includes('"newest"'), { what: 'the function' });
});

describe('the calls of an agent that builds', () => {
  it('are within the limits of its key', async () => {
    const { id, secret: key } = await hub.createKey('Limited builder', ['environment:manage_mcp']);
    const limit = (limits: object) =>
      hub.api.send('PUT /environment/limits', { body: { kind: 'key', id: String(id), limits } });
    await limit({ calls: 5, writes: 0 });
    const client = await connect(undefined, key);
    await prove(client);
    const asked = client.call('deploy', { path: PATH, connection_id: 'me' });
    expect(textOf(await asked)).toContain('call_limit_reached');
    expect(textOf(await asked)).toContain('may write 0 times in all');
    expect((await hub.dashboard.call('GET /api/v1/mcp/approvals')).data).toEqual([]);
    const refused = await client.call('compile', { path: PATH });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('may make 5 calls in all');
  });

  it('mark the key when they return what strangers may have written, and the question of a deploy says so', async () => {
    const { body } = await hub.api.send('GET /providers/practice');
    const { auth_mode, credentials, proxy } = (body as { data: Record<string, unknown> }).data;
    const desk = { display_name: 'Desk', categories: ['support'], auth_mode, credentials, proxy };
    await writeFile(join(hub.server.workspace, 'providers.yaml'), JSON.stringify({ desk }));
    await waitFor(async () => (await hub.api.send('GET /providers/desk')).status === 200, { what: 'the provider' });
    await hub.api.send('POST /integrations', { body: { provider: 'desk', unique_key: 'desk' } });
    await importConnection(hub.server, { provider_config_key: 'desk', connection_id: 'me' });
    const { secret: key } = await hub.createKey('Reading builder', ['environment:manage_mcp']);
    const shown: Shown[] = [];
    const client = await connect(async (question, signal) => {
      shown.push(question);
      return choose('Deny')(question, signal);
    }, key);
    const path = 'desk/actions/add-note.ts';
    await prove(client, path, source().replace('/practice/add-note', '/desk/add-note'));
    await client.call('deploy', { path, connection_id: 'me' });
    expect(shown[0]?.message).toContain('This session read text by strangers (record of desk');
  });
});
