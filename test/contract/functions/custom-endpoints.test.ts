import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, removeFunction, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const withEndpoint = (source: string, text: string): string =>
  source.replace("version: '1.0.0',", `version: '1.0.0',\n  ${text},`);

const FILES = {
  'actions/echo.ts': withEndpoint(
    actionSource('return { input };'),
    "endpoint: { method: 'POST', path: '/acme/echo' }",
  ),
  'actions/look.ts': withEndpoint(actionSource('return { input };'), "endpoint: { method: 'GET', path: '/acme/look' }"),
  'syncs/two.ts': withEndpoint(
    syncSource(
      `await nango.batchSave([{ id: 'i', text: 'x' }], 'Item'); await nango.batchSave([{ id: 'o' }], 'Other');`,
    ),
    "endpoints: [{ method: 'GET', path: '/acme/items' }, { method: 'GET', path: '/acme/others' }]",
  ).replace('text: z.string() }) }', 'text: z.string() }), Other: z.object({ id: z.string() }) }'),
};

let hub: FunctionHub;
const headers = { 'provider-config-key': 'acme', 'connection-id': 'c1' };

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  await hub.connection.nango.triggerSync('acme', ['two'], 'c1');
  await waitForSync(hub.connection, 'two', hasSucceeded);
});
afterAll(() => hub?.stop());

const call = (method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<HubResponse> =>
  hub.call(method, path, { headers: { ...headers, ...more }, ...(body === undefined ? {} : { body }) });
const ids = ({ body }: HubResponse): string[] => body.records.map(({ id }: { id: string }) => id);

describe('the endpoints that functions declare', () => {
  it('run an action with the body as its input', async () => {
    expect(await call('POST', '/v1/acme/echo', { a: [1] })).toMatchObject({ status: 200, body: { input: { a: [1] } } });
    expect(await call('GET', '/v1/acme/look')).toMatchObject({ status: 200, body: { input: {} } });
    expect(await call('POST', '/v1/acme/echo', {}, { 'x-async': 'true' })).toMatchObject({
      status: 202,
      body: { statusUrl: expect.any(String) },
    });
  });

  it('read the models of a sync', async () => {
    expect(ids(await call('GET', '/v1/acme/items'))).toEqual(['i']);
    expect(ids(await call('GET', '/v1/acme/others?limit=1&filter=added'))).toEqual(['o']);
    expect(await call('GET', '/v1/acme/others?limit=0')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_query_params' } },
    });
  });

  it('name what replaces them', async () => {
    const announced = async (response: Promise<HubResponse>) => {
      const { headers } = await response;
      return [headers.get('deprecation'), headers.get('link')];
    };

    expect(await announced(call('POST', '/v1/acme/echo', {}))).toEqual([
      '@1768867200',
      '</action/trigger>; rel="successor-version"',
    ]);
    expect(await announced(call('GET', '/v1/acme/items'))).toEqual([
      '@1768867200',
      '</records>; rel="successor-version"',
    ]);
  });

  it('follow the functions: a new path works once its file is saved, and stops once the file is deleted', async () => {
    await hub.deploy({
      'actions/moved.ts': withEndpoint(actionSource('return 1;'), "endpoint: { method: 'GET', path: '/acme/before' }"),
    });
    expect((await call('GET', '/v1/acme/before')).status).toBe(200);

    await saveFunction(
      hub.server.workspace,
      'acme/actions/moved.ts',
      withEndpoint(actionSource('return 2;'), "endpoint: { method: 'GET', path: '/acme/after' }"),
    );
    await waitFor(async () => (await call('GET', '/v1/acme/after')).body === 2);
    expect((await call('GET', '/v1/acme/before')).status).toBe(404);

    await removeFunction(hub.server.workspace, 'acme/actions/moved.ts');
    await waitFor(async () => (await call('GET', '/v1/acme/after')).status === 404);
  });

  it('refuse a request that matches no endpoint', async () => {
    const unknown = await call('POST', '/v1/acme/items', {});

    expect({ status: unknown.status, body: unknown.body }).toEqual({
      status: 404,
      body: {
        message: "Unknown endpoint 'POST /acme/items'",
        error: { code: 'not_found', message: expect.any(String), docs: expect.any(String) },
      },
    });
    expect(await call('POST', '/v1/acme/echo?x=1', {})).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_query_params' } },
    });
    expect(await hub.call('GET', '/v1/acme/items')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_headers' } },
    });
    expect(await call('GET', '/v1/acme/items', undefined, { 'connection-id': 'none' })).toMatchObject({
      status: 400,
      body: { error: { code: 'unknown_connection' } },
    });
  });
});
