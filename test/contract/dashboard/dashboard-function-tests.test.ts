import { execFile } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundRequestInput } from '../../../server/dashboard/dashboard-playground.contract.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { importPracticeConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { runCli } from '../../support/run-cli.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const query = { env: 'dev' };
const onMe = { integrationKey: 'practice', connectionId: 'me' };

/** Fails once, and sends and returns a secret that is not part of the connection. */
const LOOK_UP = actionSource(`
    const [variable] = await nango.getEnvironmentVariables();
    const note = variable.value;
    let refused = 0;
    try {
      await nango.get({ endpoint: '/v1/issues', headers: { 'x-practice-fail': '404' } });
    } catch (error) {
      refused = error.response.status;
    }
    const found = await nango.get({ endpoint: '/v1/me', params: { note } });
    return { asked: input.title, refused, note, kind: typeof found.data };`);
/** The same for each test that records it. */
const LOOK_UPS = ['look-up', 'replayed', 'changed', 'rewritten'];
/** A replay has no credentials, but a recording might contain some. */
const LEAK = actionSource(`const connection = await nango.getConnection();
    const { data } = await nango.get({ endpoint: '/v1/me', params: { key: connection.credentials.apiKey } });
    return { credentials: connection.credentials, kind: typeof data };`);
const VARIABLE = 'variable-canary-4711';
const INPUT = 'input-canary-0815';
const ITEMS = syncSource(
  `const { data } = await nango.get({ endpoint: '/v1/me' });
    await nango.batchSave([{ id: '1', text: typeof data }], 'Item');`,
);

let hub: InProcessServer;
let page: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  await importPracticeConnection(hub);
  for (const name of LOOK_UPS) await saveFunction(hub.workspace, `practice/actions/${name}.ts`, LOOK_UP);
  await saveFunction(hub.workspace, 'practice/actions/leak.ts', LEAK);
  await saveFunction(hub.workspace, 'practice/syncs/few-items.ts', ITEMS);
  await fetch(`${hub.url}/environment/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ variables: [{ name: 'NOTE', value: VARIABLE }] }),
  });
  page = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  for (const name of LOOK_UPS) await live(name, 'refused');
  await live('leak', 'credentials');
  await live('few-items', 'typeof data');
});
afterAll(() => hub?.stop());

/** Waits until the version with this text runs. */
async function live(name: string, text: string): Promise<void> {
  const type = name === 'few-items' ? 'sync' : 'action';
  const params = { integrationKey: 'practice', type, name };
  await waitFor(
    async () => {
      const response = await page.send('GET /api/v1/functions/:integrationKey/:type/:name', { params, query });
      if (response.status !== 200) return false;
      const { code, runningCode } = (await response.json()) as { code: string; runningCode: string | null };
      return code.includes(text) && runningCode === null;
    },
    { what: `${name} with ${text}` },
  );
}

async function run(body: PlaygroundRequestInput) {
  const { id } = await page.call('POST /api/v1/playground/runs', { query, body });
  return waitFor(
    async () => {
      const found = await page.call('GET /api/v1/playground/runs/:runId', { params: { runId: id }, query });
      return found.state !== 'running' && found;
    },
    { what: 'the end of the run' },
  );
}
const testsOf = (name: string, type: string) => ({ params: { integrationKey: 'practice', type, name }, query });
const replay = async (name: string, type = 'action') =>
  (
    await page.call('POST /api/v1/functions/:integrationKey/:type/:name/tests/run', {
      ...testsOf(name, type),
      body: {},
    })
  ).data;
const save = (runId: string, overwrites: boolean) =>
  page.send('POST /api/v1/playground/runs/:runId/fixture', { params: { runId }, query, body: { overwrites } });
const read = (path: string) => readFile(join(hub.workspace, path), 'utf8');
const fileOf = (name: string) => `practice/tests/${name}.test.json`;
/** Records a run of a function. */
async function record(name: string, title: string): Promise<void> {
  const { id } = await run({ kind: 'action', ...onMe, name, mode: 'dry', input: { title } });
  expect((await save(id, true)).status).toBe(200);
}

describe('a run of the playground', () => {
  it('is saved as a fixture without secrets, also one that was not dry, and asks before it overwrites', async () => {
    const done = await run({ kind: 'action', ...onMe, name: 'look-up', mode: 'live', input: { title: 'first' } });
    expect(done).toMatchObject({ state: 'success', canBeSaved: true, whyNotSaved: null });
    const preview = { params: { runId: done.id }, query };
    expect(await page.call('GET /api/v1/playground/runs/:runId/fixture', preview)).toMatchObject({
      path: fileOf('look-up'),
      isThere: false,
      requests: 2,
    });

    expect(await (await save(done.id, false)).json()).toEqual({ path: fileOf('look-up') });

    const text = await read(fileOf('look-up'));
    expect(text).not.toContain(VARIABLE);
    const fixture = JSON.parse(text);
    expect(fixture).toMatchObject({
      input: { title: 'first' },
      output: { asked: 'first', refused: 404, note: 'REDACTED', kind: 'object' },
    });
    expect(fixture.api.get['/v1/issues']).toMatchObject({ status: 404 });
    expect(fixture.api.get['/v1/me']).toMatchObject({ status: 200, request: { params: { note: 'REDACTED' } } });

    const leaked = await run({ kind: 'action', ...onMe, name: 'leak', mode: 'dry', input: {} });
    expect((await save(leaked.id, false)).status).toBe(200);
    const cleaned = await read('practice/tests/leak.test.json');
    expect(cleaned).not.toContain(PRACTICE_KEY);
    expect(JSON.parse(cleaned).output.credentials).toMatchObject({ apiKey: 'REDACTED' });

    const other = await run({ kind: 'action', ...onMe, name: 'look-up', mode: 'dry', input: { title: 'second' } });
    const refused = await save(other.id, false);
    expect(refused.status).toBe(409);
    expect(await read(fileOf('look-up'))).toBe(text);
    expect((await save(other.id, true)).status).toBe(200);
    expect(JSON.parse(await read(fileOf('look-up'))).input).toEqual({ title: 'second' });
  });

  it('says why it cannot be saved: a sync that its schedule ran, a request of the proxy', async () => {
    const ran = await run({ kind: 'sync', ...onMe, name: 'few-items', mode: 'live' });
    expect(ran).toMatchObject({ canBeSaved: false, whyNotSaved: expect.stringContaining('dry run') });
    const sent = await run({ kind: 'proxy', ...onMe, method: 'GET', endpoint: '/v1/me' });
    expect((await save(sent.id, false)).status).toBe(409);
  });
});

describe('recorded runs of a function', () => {
  it('replay in the hub and in the authors’ own test runner', async () => {
    const done = await run({ kind: 'sync', ...onMe, name: 'few-items', mode: 'dry' });
    expect((await save(done.id, true)).status).toBe(200);
    expect(JSON.parse(await read('practice/tests/few-items.test.json')).nango.batchSave).toEqual({
      Item: [{ id: '1', text: 'object' }],
    });

    const [result] = await replay('few-items', 'sync');

    expect(result).toMatchObject({ outcome: 'passed', differences: [], unsent: [] });
    expect(
      await page.call('GET /api/v1/functions/:integrationKey/:type/:name/tests', testsOf('few-items', 'sync')),
    ).toMatchObject({
      problem: null,
      tests: [{ path: 'practice/tests/few-items.test.json', isLegacy: false, lastResult: result }],
      generatedTest: null,
    });
    const cli = (...args: string[]) => runCli(args, { cwd: hub.workspace, home: hub.home });
    await record('replayed', 'first');
    expect((await cli('test', 'few-items', 'replayed')).output).toContain('2 passed, 0 failed');
    expect((await cli('generate:tests', '-s', 'few-items')).status).toBe(0);
    expect(
      await page.call('GET /api/v1/functions/:integrationKey/:type/:name/tests', testsOf('few-items', 'sync')),
    ).toMatchObject({ generatedTest: 'practice/tests/practice-few-items.test.ts' });
    expect(await officialRunner()).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
  });

  it('show the difference, and accept exactly that', async () => {
    await record('changed', 'second');
    await saveFunction(hub.workspace, 'practice/actions/changed.ts', LOOK_UP.replace('asked: input.title', 'asked: 7'));
    await live('changed', 'asked: 7');

    const [result] = await replay('changed');

    expect(result).toMatchObject({ outcome: 'differs', differences: [{ what: 'output' }] });
    const [difference] = result?.differences ?? [];
    expect(JSON.parse(difference?.expected ?? '')).toMatchObject({ asked: 'second' });
    expect(JSON.parse(difference?.actual ?? '')).toMatchObject({ asked: 7 });

    const update = (actualId: string) =>
      page.send('POST /api/v1/functions/:integrationKey/:type/:name/tests/update', {
        ...testsOf('changed', 'action'),
        body: { path: fileOf('changed'), actualId },
      });
    expect((await update('of another run')).status).toBe(409);
    expect(JSON.parse(await read(fileOf('changed'))).output.asked).toBe('second');

    const updated = await update(result?.actualId ?? '');
    expect(await updated.json()).toMatchObject({ outcome: 'passed' });
    const fixture = JSON.parse(await read(fileOf('changed')));
    expect(fixture.output.asked).toBe(7);
    expect(Object.keys(fixture.api.get)).toEqual(['/v1/issues', '/v1/me']);
  });

  it('report requests that were not recorded, requests that are no longer sent, and invalid recordings', async () => {
    const other = LOOK_UP.replace("'/v1/me'", "'/v1/labels'");
    await record('rewritten', 'second');
    await saveFunction(hub.workspace, 'practice/actions/rewritten.ts', other);
    await live('rewritten', "'/v1/labels'");
    expect(await replay('rewritten')).toMatchObject([
      { outcome: 'failed', message: expect.stringContaining('No mock found for GET v1/labels') },
    ]);

    const fewer = LOOK_UP.replace(/try \{[\s\S]*?\n {4}\}\n/, 'refused = 404;\n');
    await saveFunction(hub.workspace, 'practice/actions/rewritten.ts', fewer);
    await live('rewritten', 'refused = 404;');
    expect(await replay('rewritten')).toMatchObject([{ outcome: 'passed', unsent: ['GET /v1/issues'] }]);

    await writeFile(join(hub.workspace, fileOf('rewritten')), '{ broken');
    expect(await replay('rewritten')).toMatchObject([
      { outcome: 'broken', message: expect.stringContaining(fileOf('rewritten')) },
    ]);
    await rm(join(hub.workspace, fileOf('rewritten')));
    const gone = await page.send('POST /api/v1/functions/:integrationKey/:type/:name/tests/run', {
      ...testsOf('rewritten', 'action'),
      body: {},
    });
    expect(gone.status).toBe(404);
  });
});

describe('requests to providers as an HTTP Archive', () => {
  const har = (filter: object) => page.call('GET /api/v1/logs/har', { query: { ...query, ...filter } });

  it('are those of an operation, or of a filter, in the order of their times, without secrets', async () => {
    const send = (path: string, headers: object) =>
      fetch(`${hub.url}/proxy${path}`, {
        headers: {
          ...{ authorization: `Bearer ${hub.secretKey}`, 'provider-config-key': 'practice', 'connection-id': 'me' },
          ...headers,
        },
      });
    await send('/v1/me?note=first&api_key=canary-in-the-address', {
      'nango-proxy-x-api-key': 'canary-header',
    });
    await send('/v1/issues', { 'nango-proxy-x-practice-fail': '404' });
    const calls = { types: 'proxy', connections: 'me' };
    const log = await waitFor(
      async () => {
        const found = await har(calls);
        return found.log.entries.some(({ response }) => response.status === 404) && found.log;
      },
      { what: 'both requests in the log' },
    );

    const [first, second] = log.entries.slice(-2);
    expect([log.version, log.creator.name]).toEqual(['1.2', 'Homeport']);
    expect(first).toMatchObject({
      request: { method: 'GET', url: expect.stringContaining('/v1/me?note=first'), bodySize: -1 },
      response: { status: 200, content: { size: -1, mimeType: expect.stringContaining('json') } },
    });
    expect(first?.request.queryString).toContainEqual({ name: 'note', value: 'first' });
    expect(second?.response.status).toBe(404);
    const times = log.entries.map(({ startedDateTime }) => startedDateTime);
    expect(times).toEqual([...times].sort());
    expect(JSON.stringify(log)).not.toMatch(new RegExp(`canary|${PRACTICE_KEY}`));
    const own = await har({ operationId: second?._operationId });
    expect(own.log.entries).toEqual([second]);
    expect((await har({ ...calls, search: 'nowhere-to-be-found' })).log.entries).toEqual([]);
    const unknown = await page.send('GET /api/v1/logs/har', { query: { ...query, operationId: 'none' } });
    expect(unknown.status).toBe(404);
  });
});

describe('an input that is saved under a name', () => {
  const send = { kind: 'action', ...onMe, name: 'look-up', mode: 'live', input: { key: INPUT } } as const;
  const of = { ...query, integration: 'practice', kind: 'action', name: 'look-up' } as const;
  const save = (name: string, request: object) =>
    page.send('PUT /api/v1/playground/inputs', { query, body: { name, request: request as typeof send } });
  const listed = async () => (await page.call('GET /api/v1/playground/inputs', { query: of })).data;

  it('is sealed, replaced by one of its name, kept apart by function, and deleted', async () => {
    await page.call('PUT /api/v1/playground/inputs', { query, body: { name: ' second ', request: send } });
    await page.call('PUT /api/v1/playground/inputs', { query, body: { name: 'first', request: send } });
    const changed = { ...send, input: { key: INPUT, more: 1 } };
    await page.call('PUT /api/v1/playground/inputs', { query, body: { name: 'second', request: changed } });
    const call = { kind: 'proxy', ...onMe, method: 'POST', endpoint: '/v1/echo' } as const;
    await page.call('PUT /api/v1/playground/inputs', { query, body: { name: 'first', request: call } });

    expect((await listed()).map(({ name, request }) => [name, request])).toEqual([
      ['first', send],
      ['second', changed],
    ]);
    const calls = await page.call('GET /api/v1/playground/inputs', {
      query: { ...query, integration: 'practice', kind: 'proxy' },
    });
    expect(calls.data).toMatchObject([{ name: 'first', request: { ...call, headers: {}, retries: 0 } }]);
    expect(await findSecrets(hub.home, { input: INPUT }, {})).toEqual([]);

    const [first] = await listed();
    const params = { inputId: first?.id ?? '' };
    await page.call('DELETE /api/v1/playground/inputs/:inputId', { params, query });
    expect((await page.send('DELETE /api/v1/playground/inputs/:inputId', { params, query })).status).toBe(404);
    expect((await listed()).map(({ name }) => name)).toEqual(['second']);
  });

  it('is refused for an integration that is not there, a webhook, an empty name and the fifty-first', async () => {
    expect((await save('x', { ...send, integrationKey: 'nowhere' })).status).toBe(404);
    expect((await save('x', { kind: 'webhook', ...onMe, webhookId: 'w' })).status).toBe(400);
    expect((await save('  ', send)).status).toBe(400);
    const many = { ...send, name: 'leak' };
    for (let index = 0; index < 50; index += 1) expect((await save(`input ${index}`, many)).status).toBe(200);

    expect((await save('one more', many)).status).toBe(400);
    expect((await save('input 7', many)).status).toBe(200);
  });

  it('is removed with its integration', async () => {
    await page.call('POST /api/v1/integrations', { query, body: { provider: 'practice', key: 'short-lived' } });
    const own = { ...send, integrationKey: 'short-lived' };
    expect((await save('kept', own)).status).toBe(200);
    const inputs = () => page.call('GET /api/v1/playground/inputs', { query: { ...of, integration: 'short-lived' } });
    expect((await inputs()).data).toHaveLength(1);
    const create = () =>
      page.send('POST /api/v1/integrations', { query, body: { provider: 'practice', key: 'short-lived' } });
    await page.call('DELETE /api/v1/integrations/:integrationKey', {
      params: { integrationKey: 'short-lived' },
      query,
    });
    expect((await create()).status).toBe(200);

    expect((await inputs()).data).toEqual([]);
  });
});

/** Vitest as an author installs it, in the functions folder. */
async function officialRunner(): Promise<unknown> {
  await symlink(join(ROOT, 'node_modules'), join(hub.workspace, 'node_modules'));
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', '--outputFile=report.json'];
  const env = { PATH: process.env['PATH'] ?? '', CI: '1' };
  // A run with failed tests exits with 1; the test reads its report.
  await promisify(execFile)(process.execPath, args, { cwd: hub.workspace, env }).catch(() => {});
  return JSON.parse(await read('report.json'));
}
