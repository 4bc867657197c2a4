import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The functions API (http-api.md 14). */

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub({
    'actions/owned.ts': actionSource('return [nango.connectionId, input];'),
    'actions/fails.ts': actionSource("throw new nango.ActionError({ message: 'closed' });"),
    'syncs/items.ts': syncSource("await nango.batchSave([{ id: '1', text: 'a' }], 'Item');").replaceAll(
      'Item',
      'Invoked',
    ),
  });
  hub.provider.on('GET /things', { body: { things: ['a', 'b'] } });
  await hub.call('POST', '/integrations', { body: { provider: 'practice', unique_key: 'practice' } });
});
afterAll(() => hub?.stop());

const at = { integration_id: 'acme', connection_id: 'c1' };
const post = (path: string, body: unknown): Promise<HubResponse> => hub.call('POST', `/functions/${path}`, { body });

async function finished(path: string, started: HubResponse): Promise<HubResponse['body']> {
  expect(started.status).toBe(202);
  expect(Object.keys(started.body)).toEqual(['id', 'status', 'created_at']);
  return waitFor(
    async () => {
      const { body } = await hub.call('GET', `/functions/${path}/${started.body.id}`);
      return ['success', 'failed'].includes(body.status) ? body : undefined;
    },
    { what: `the end of ${path}` },
  );
}
const dryRun = async (body: Record<string, unknown>) => finished('dryruns', await post('dryruns', { ...at, ...body }));
const deploy = async (body: Record<string, unknown>) =>
  finished('deployments', await post('deployments', { integration_id: 'acme', type: 'function', ...body }));

describe('POST /functions/compile', () => {
  it.each([
    ['an action', actionSource('return 1;')],
    ['a sync', syncSource('await nango.log(1);')],
  ])('bundles %s', async (_what, code) => {
    const { status, body } = await post('compile', { code });

    expect(status).toBe(200);
    expect(body.bundled_js).toContain('Written by a test');
    expect(body.bundle_size_bytes).toBe(Buffer.byteLength(body.bundled_js));
    expect(new Date(body.compiled_at).toISOString()).toBe(body.compiled_at);
  });

  it.each([
    ['a syntax error', 'export default 1 +;', '1:'],
    ['no function', 'export const a = 1;', 'createAction'],
    ['an import that is not allowed', `import 'node:fs';\n${actionSource('return 1;')}`, 'fs'],
    ['a file of the workspace', `import x from '../models.js';\n${actionSource('return x;')}`, 'models.js'],
  ])('refuses %s with its place', async (_what, code, hint) => {
    const { status, body } = await post('compile', { code });

    expect([status, body.error.code]).toEqual([400, 'compilation_error']);
    expect(body.error.message).toContain(hint);
  });

  it('refuses invalid requests', async () => {
    expect((await post('compile', { code: '' })).body.error.code).toBe('invalid_body');
    expect((await post('compile', { code: 'x', more: 1 })).body.error.code).toBe('invalid_body');
    expect((await hub.call('POST', '/functions/compile?a=1', { body: { code: 'x' } })).body.error.code).toBe(
      'invalid_query_params',
    );
  });
});

describe('dry runs', () => {
  it('answer with what an action returned, after real requests', async () => {
    const code = actionSource(
      `await nango.log('asked', { level: 'info' });
       const { data } = await nango.get({ endpoint: '/things' });
       return { things: data.things, input };`,
    );

    const run = await dryRun({ function_type: 'action', code, input: { a: 1 } });

    expect(run).toMatchObject({
      status: 'success',
      integration_id: 'acme',
      function_type: 'action',
      result: { things: ['a', 'b'], input: { a: 1 } },
      output: expect.stringContaining('info: asked'),
      duration_ms: expect.any(Number),
    });
    expect(run.started_at <= run.completed_at).toBe(true);
  });

  it('answer a change of metadata as a run does', async () => {
    const code = actionSource(
      `const set = await nango.setMetadata({ a: 1 });
       const update = await nango.updateMetadata({ b: 2 });
       return [set, update].map(({ status, data }) => ({ status, data }));`,
    );
    const ids = { connection_id: 'c1', provider_config_key: 'acme' };

    expect((await dryRun({ function_type: 'action', code })).result).toEqual([
      { status: 201, data: { ...ids, metadata: { a: 1 } } },
      { status: 200, data: { ...ids, metadata: { b: 2 } } },
    ]);
  });

  it('collect what a sync would store, and store nothing', async () => {
    const code = syncSource(
      `const { team } = await nango.getMetadata();
       await nango.updateMetadata({ seen: true });
       const { seen } = (await nango.getConnection()).metadata;
       const since = nango.lastSyncDate?.toISOString();
       const from = (await nango.getCheckpoint())?.page;
       await nango.batchSave([{ id: '1', text: [team, seen, since, from].join() }, { id: '1', text: 'again' }], 'Item');
       await nango.batchDelete([{ id: '2' }], 'Item');
       await nango.saveCheckpoint({ page: 3 });`,
    );

    const run = await dryRun({
      function_type: 'sync',
      code,
      metadata: { team: 'blue' },
      checkpoint: { page: 2 },
      last_sync_date: '2026-01-05T10:00:00+00:00',
    });

    expect(run.error).toBeUndefined();
    expect(run.result).toEqual({
      added: { Item: [{ id: '1', text: 'again' }] },
      updated: {},
      deleted: { Item: [{ id: '2' }] },
      checkpoint: { page: 3 },
    });
    expect((await hub.records('model=Item')).body.records).toEqual([]);
    const connection = await hub.call('GET', '/connections/c1?provider_config_key=acme');
    expect(connection.body.metadata).toEqual({});
  });

  it.each([
    ['that does not compile', actionSource('return 1 +;'), 'compilation_error'],
    ['of the other type', syncSource('await nango.log(1);'), 'compilation_error'],
    ['that throws', actionSource("throw new Error('no');"), 'script_internal_error'],
    ['that is refused', actionSource("return (await nango.get({ endpoint: '/none' })).data;"), 'script_http_error'],
    [
      'whose output does not fit',
      actionSource('return 1;').replace('output: z.any()', 'output: z.string()'),
      'validation_error',
    ],
    [
      'whose input does not fit',
      actionSource('return 1;').replace('input: z.any()', 'input: z.object({ a: z.string() })'),
      'validation_error',
    ],
  ])('fail for code %s', async (_what, code, expected) => {
    const run = await dryRun({ function_type: 'action', code });

    expect(run).toMatchObject({ status: 'failed', error: { code: expected, message: expect.any(String) } });
    expect(run).not.toHaveProperty('result');
  });

  it.each([
    ['an object without required members', 'z.object({ a: z.string().optional() })', {}],
    ['nothing', 'z.void()', {}],
  ])('without input fit %s, as a run does', async (_what, schema, result) => {
    const code = actionSource('return input;').replace('input: z.any()', `input: ${schema}`);

    expect(await dryRun({ function_type: 'action', code })).toMatchObject({ status: 'success', result });
  });

  it.each([
    ['refers to itself', 'z.object({ v: z.string(), kids: z.lazy(() => z.array(Node)) })'],
    ['has a name', "z.object({ v: z.string(), kids: z.any() }).meta({ id: 'Node' })"],
  ])('read a schema inside another that %s', async (_what, node) => {
    const code = actionSource('return { root: { v: input, kids: [] } };')
      .replace('export default', `const Node: z.ZodType = ${node};\nexport default`)
      .replace('output: z.any()', 'output: z.object({ root: Node })');

    expect(await dryRun({ function_type: 'action', code, input: 'a' })).toMatchObject({ status: 'success' });
    expect(await dryRun({ function_type: 'action', code, input: 1 })).toMatchObject({
      error: { code: 'validation_error', payload: { problems: [{ path: 'root.v' }] } },
    });
  });

  it('refuse at once what does not exist', async () => {
    const body = { ...at, function_type: 'action', code: 'x' };

    expect((await post('dryruns', { ...body, integration_id: 'none' })).body.error.code).toBe('integration_not_found');
    expect((await post('dryruns', { ...body, connection_id: 'none' })).body.error.code).toBe('connection_not_found');
    expect((await post('dryruns', { ...body, integration_id: '..' })).body.error.code).toBe('invalid_body');
    expect((await post('dryruns', { ...body, function_type: 'on-event' })).body.error.code).toBe('invalid_body');
    expect((await hub.call('GET', '/functions/dryruns/x')).body.error.code).toBe('invalid_uri_params');
    const unknown = await hub.call('GET', '/functions/dryruns/11111111-1111-4111-8111-111111111111');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'dryrun_not_found']);
  });
});

describe('deployments', () => {
  it('make sent code a function that runs, counts up its version, and can be deleted', async () => {
    const sent = { function_name: 'sent', function_type: 'action' };
    const first = await deploy({ ...sent, code: actionSource("return 'first';").replace("version: '1.0.0',", '') });
    const second = await deploy({ ...sent, code: actionSource("return 'second';"), version: '7' });

    expect(first).toMatchObject({ status: 'success', function_name: 'sent', deployed: true });
    expect(first.deployed_functions).toEqual([{ name: 'sent', version: '1' }]);
    expect(second.deployed_functions).toEqual([{ name: 'sent', version: '7' }]);
    expect((await hub.action('sent')).body).toBe('second');
    const shown = await hub.call('GET', '/integrations/acme/functions/sent');
    expect(shown.body.data.source).toBe('standalone');
    expect((await hub.call('DELETE', '/integrations/acme/functions/sent?type=action')).status).toBe(200);
    expect((await hub.action('sent')).status).toBe(404);
  });

  it('leave functions of the folder alone, and ask before models go', async () => {
    const code = actionSource('return 1;');
    const owned = await deploy({ function_name: 'owned', function_type: 'action', code });
    expect(owned).toMatchObject({ status: 'failed', deployed: false, error: { code: 'invalid_request' } });

    const sync = { function_name: 'models', function_type: 'sync' };
    const other = syncSource('await nango.log(1);').replaceAll('Item', 'Thing');
    await deploy({ ...sync, code: syncSource('await nango.log(1);') });
    expect(await deploy({ ...sync, code: other })).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringContaining('Item') },
    });
    expect((await deploy({ ...sync, code: other, allow_destructive: true })).status).toBe('success');
  });

  it('bring templates of the provider, once', async () => {
    const body = { type: 'template', integration_id: 'practice', template: 'create-issue' };
    const started = await post('deployments', body);

    expect(started.body.status).toBe('success');
    expect((await finished('deployments', started)).deployed_functions).toEqual([
      { name: 'create-issue', version: '1.0.0' },
    ]);
    const again = await post('deployments', body);
    expect([again.status, again.body.error.code]).toEqual([409, 'template_already_deployed']);
    const none = await post('deployments', { ...body, template: 'none' });
    expect([none.status, none.body.error.code]).toEqual([404, 'template_not_found']);
  });

  it('say when they are not there', async () => {
    const { status, body } = await hub.call('GET', '/functions/deployments/11111111-1111-4111-8111-111111111111');

    expect([status, body.error.code]).toEqual([404, 'deployment_not_found']);
  });
});

describe('bundles', () => {
  const bundle = (names: string[], response = '1') => ({
    reconciliationScope: { kind: 'integration', integrationId: 'practice' },
    functions: names.map((name) => ({
      integrationId: 'practice',
      name,
      type: 'action',
      code: actionSource(`return ${response};`),
    })),
  });
  const names = (list: Array<{ name: string }>) => list.map(({ name }) => name);

  it('make an integration what they name, as the preview says', async () => {
    await post('deployments/bundle', bundle(['one', 'two']));
    const next = { ...bundle(['one', 'three']) };

    const preview = await post('deployments/bundle/preview', next);
    const { status, body } = await post('deployments/bundle', next);

    expect(preview.body).toEqual(body);
    expect(status).toBe(200);
    expect([names(body.created), names(body.updated), names(body.unchanged)]).toEqual([['three'], [], ['one']]);
    expect(names(body.deleted)).toContain('two');
    expect(names((await post('deployments/bundle', bundle(['one', 'three'], '2'))).body.updated)).toEqual([
      'one',
      'three',
    ]);
  });

  it('refuse foreign integrations and code that does not compile, changing nothing', async () => {
    const wrong = bundle(['one']);
    const scope = { kind: 'integration', integrationId: 'none' };
    expect(await post('deployments/bundle', { ...wrong, reconciliationScope: scope })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
    const missing = await post('deployments/bundle', { reconciliationScope: scope, functions: [] });
    expect([missing.status, missing.body.error.code]).toEqual([400, 'integration_not_found']);
    const broken = await post('deployments/bundle', bundle(['one'], '1 +'));
    expect([broken.status, broken.body.error.code]).toEqual([400, 'compilation_error']);
  });
});

describe('POST /functions/invocations', () => {
  const body = { ...at, name: 'owned', invocation_type: 'wait' };

  it.each([
    [{ ...body, options: { other: 1 } }, 400, 'invalid_invocation'],
    [{ ...body, name: 'items', input: { a: 1 } }, 400, 'invalid_invocation'],
    [{ ...body, name: 'fails' }, 500, 'action_script_runtime_error'],
    [{ ...body, name: 'none' }, 404, 'unknown_function'],
    [{ ...body, connection_id: 'none' }, 404, 'connection_not_found'],
    [{ ...body, integration_id: 'none' }, 404, 'integration_not_found'],
    [{ ...body, invocation_type: 'later' }, 400, 'invalid_body'],
  ])('checks %j', async (sent, status, code) => {
    const response = await post('invocations', sent);

    expect([response.status, response.body.error.code]).toEqual([status, code]);
  });

  it('runs an action and answers its output', async () => {
    const { status, body: output } = await post('invocations', { ...body, input: { a: 1 } });

    expect([status, output]).toEqual([200, ['c1', { a: 1 }]]);
  });

  it('runs an action later, and keeps its output', async () => {
    const { status, body: queued } = await post('invocations', { ...body, input: 2, invocation_type: 'no_wait' });
    expect([status, queued]).toEqual([202, { id: queued.id, statusUrl: `/functions/invocations/${queued.id}` }]);

    const output = await waitFor(
      async () => {
        const found = await hub.call('GET', queued.statusUrl);
        return found.status === 200 ? found.body : undefined;
      },
      { what: 'the output' },
    );
    expect(output).toEqual(['c1', 2]);
    const unknown = await hub.call('GET', '/functions/invocations/5b1d3f0e-7a35-4b53-9a3e-1f6f2d4f1c11');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
  });

  it.each(['wait', 'no_wait'])('queues a sync (%s)', async (type) => {
    const sent = { ...body, name: 'items', invocation_type: type, options: { reset: true } };
    const { status, body: reply } = await post('invocations', sent);

    expect([status, reply]).toEqual([200, { success: true }]);
    await waitFor(async () => (await hub.records('model=Invoked')).body.records?.length === 1, { what: 'the record' });
  });
});
