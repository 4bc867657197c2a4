import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, type SyncState, syncState, waitForSync } from '../../support/wait-for-sync.ts';

const waiting = (model: string): string =>
  syncSource(`
    await nango.post({ endpoint: '/begun', data: { last: nango.lastSyncDate ?? null, checkpoint: await nango.getCheckpoint(), variant: nango.variant } });
    await nango.batchSave([{ id: nango.variant, text: 'x' }], '${model}');
    await nango.saveCheckpoint({ page: 1 });
    await nango.get({ endpoint: '/gate' });
    await nango.batchSave([{ id: 'after-gate', text: 'x' }], '${model}');`).replace(
    'Item: z.object',
    `${model}: z.object`,
  );

const FILES = {
  'syncs/held.ts': waiting('Held'),
  'syncs/spinning.ts': syncSource(
    `await nango.post({ endpoint: '/begun', data: {} }); for (;;) Math.random();`,
  ).replace('Item:', 'Spun:'),
  'syncs/simple.ts': syncSource(`await nango.batchSave([{ id: '1', text: 'x' }], 'Simple');`).replace(
    'Item:',
    'Simple:',
  ),
  'syncs/fails.ts': syncSource(
    `await nango.batchSave([{ id: '1', text: 'x' }], 'Failing'); throw new Error('told to');`,
  )
    .replace('Item:', 'Failing:')
    .replace("'every day'", "'every 2 hours'"),
};

let hub: FunctionHub;
let letGo: () => void = () => {};
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider.on('POST /begun', { body: {} }).on('GET /gate', async () => {
    await gate;
    return { body: {} };
  });
  await hub.addConnection('c2');
});
beforeEach(async () => {
  letGo();
  await hub.renewConnection();
});
afterAll(async () => {
  letGo();
  await hub?.stop();
});

function closeGate(): void {
  gate = new Promise((resolve) => {
    letGo = resolve;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what the sync told
const begun = (): any[] => hub.provider.requestsTo('/begun').map(({ body }) => JSON.parse(body.toString()));
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<HubResponse> =>
  hub.call('POST', path, { body, headers });
const trigger = (name: string, more: Record<string, unknown> = {}): Promise<HubResponse> =>
  post('/sync/trigger', { syncs: [name], provider_config_key: 'acme', connection_id: 'c1', ...more });
const state = async (name: string): Promise<SyncState> => (await syncState(hub.connection, name)) as SyncState;
const runs = (count: number): Promise<true> => waitFor(() => begun().length >= count) as Promise<true>;

describe('errors of the commands', () => {
  const to = { provider_config_key: 'acme', connection_id: 'c1' };

  it.each([
    ['/sync/trigger', { syncs: ['simple'] }, 400, 'missing_provider_config_key'],
    ['/sync/trigger', { ...to }, 400, 'invalid_body'],
    ['/sync/trigger', { syncs: ['simple'], ...to, opts: {}, sync_mode: 'incremental' }, 400, 'invalid_body'],
    ['/sync/trigger', { syncs: ['simple'], ...to, opts: { reset: true }, full_resync: true }, 400, 'invalid_body'],
    ['/sync/trigger', { syncs: ['simple'], ...to, more: 1 }, 400, 'invalid_body'],
    ['/sync/trigger?x=1', { syncs: ['simple'], ...to }, 400, 'invalid_query_params'],
    ['/sync/start', { syncs: ['simple'] }, 400, 'invalid_body'],
    ['/sync/pause', { syncs: Array.from({ length: 257 }, () => 'simple'), ...to }, 400, 'invalid_body'],
    ...['trigger', 'start', 'pause'].flatMap(
      (command): Array<[string, unknown, number, string]> => [
        [`/sync/${command}`, { syncs: ['simple'], provider_config_key: 'none' }, 400, 'unknown_provider_config'],
        [`/sync/${command}`, { syncs: ['simple'], ...to, connection_id: 'none' }, 404, 'unknown_connection'],
        [`/sync/${command}`, { syncs: ['none'], ...to }, 400, 'no_syncs_found'],
        [`/sync/${command}`, { syncs: ['not a name!'], ...to }, 400, 'no_syncs_found'],
        [`/sync/${command}`, { syncs: ['simple::none'], ...to }, 400, 'no_syncs_found'],
        [`/sync/${command}`, { syncs: ['simple::base::more'], ...to }, 400, 'no_syncs_found'],
        [`/sync/${command}`, { syncs: ['none'], provider_config_key: 'acme' }, 400, 'no_syncs_found'],
      ],
    ),
  ])('%s with %j answers %i %s', async (path, body, status, code) => {
    const response = await post(path as string, body);

    expect({ status: response.status, code: response.body.error.code }).toEqual({ status, code });
  });

  it('name the connection in the payload, and have a payload always', async () => {
    const unknown = await trigger('simple', { connection_id: 'none' });
    const none = await trigger('none');
    const integration = await trigger('simple', { provider_config_key: 'none' });

    expect(unknown.body.error).toEqual({
      code: 'unknown_connection',
      docs: expect.any(String),
      message: expect.any(String),
      payload: { connectionId: 'none', providerConfigKey: 'acme' },
    });
    expect(none.body.error).toEqual({
      code: 'no_syncs_found',
      message: expect.any(String),
      payload: {},
      docs: expect.any(String),
    });
    expect(integration.body.error).toEqual({
      code: 'unknown_provider_config',
      docs: expect.any(String),
      message: expect.any(String),
      payload: {},
    });
    expect((await post('/sync/trigger', { syncs: [] })).body.error).toEqual({
      code: 'missing_provider_config_key',
      docs: expect.any(String),
      message: expect.any(String),
      payload: {},
    });
  });

  it.each([[7], [{ name: 'simple' }]])('say where a sync is named wrongly: %j', async (item) => {
    const { body } = await post('/sync/start', { syncs: ['simple', item], ...to });

    expect(body.error).toMatchObject({
      code: 'invalid_body',
      errors: [{ code: 'invalid_union', path: ['syncs', '1'] }],
    });
  });

  it('run the commands before the first unknown sync', async () => {
    const { body } = await post('/sync/start', { syncs: ['simple', 'none'], ...to });

    expect(body.error.code).toBe('no_syncs_found');
    await waitForSync(
      hub.connection,
      'simple',
      ({ status, nextScheduledSyncAt }) => status === 'SUCCESS' && nextScheduledSyncAt !== null,
    );
    await post('/sync/pause', { syncs: ['simple'], ...to });
  });

  it('accept an empty list, headers instead of fields, and a trailing slash', async () => {
    const headers = { 'provider-config-key': 'acme', 'connection-id': 'c1' };

    expect(await post('/sync/pause', { syncs: [], ...to })).toMatchObject({ status: 200, body: { success: true } });
    expect(await post('/sync/trigger/', { syncs: ['simple'] }, headers)).toMatchObject({
      status: 200,
      body: { success: true },
    });
  });
});

describe('GET /sync/status', () => {
  it.each([
    ['syncs=*', 'invalid_query_params'],
    ['provider_config_key=acme', 'invalid_query_params'],
    ['syncs=*&provider_config_key=acme&more=1', 'invalid_query_params'],
    ['syncs=*&provider_config_key=acme&connection_id=none', 'invalid_body'],
    ['syncs=*&provider_config_key=none&connection_id=c1', 'invalid_body'],
  ])('refuses %s', async (query, code) => {
    expect(await hub.call('GET', `/sync/status?${query}`)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  it('is empty for an unknown integration, and skips unknown names', async () => {
    expect((await hub.call('GET', '/sync/status?syncs=*&provider_config_key=none')).body).toEqual({ syncs: [] });
    const { body } = await hub.call('GET', '/sync/status?syncs=none,fails&provider_config_key=acme&connection_id=c2');
    expect(body.syncs.map(({ name }: { name: string }) => name)).toEqual(['fails']);
  });

  it('describes a sync that never ran, then its failure, then its state when started', async () => {
    const of = async (): Promise<Record<string, unknown>> =>
      (await hub.call('GET', '/sync/status?syncs=fails&provider_config_key=acme&connection_id=c1')).body.syncs[0];
    const never = await of();
    await trigger('fails');
    await waitForSync(hub.connection, 'fails', ({ finishedAt }) => finishedAt !== undefined);
    const paused = await of();
    await post('/sync/start', { syncs: ['fails'], provider_config_key: 'acme', connection_id: 'c1' });
    const failed = await waitFor(async () => {
      const found = await of();
      return found['status'] === 'ERROR' && found;
    });

    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      connection_id: 'c1',
      name: 'fails',
      variant: 'base',
      type: 'INITIAL',
      frequency: 'every 2 hours',
      checkpoint: null,
    };
    expect(never).toEqual({ ...common, status: 'PAUSED', nextScheduledSyncAt: null, recordCount: { Failing: 0 } });
    const ran = {
      finishedAt: expect.stringMatching(/Z$/),
      latestExecutionStatus: 'STOPPED',
      recordCount: { Failing: 1 },
    };
    expect(paused).toEqual({
      ...common,
      ...ran,
      status: 'PAUSED',
      nextScheduledSyncAt: null,
      latestResult: { Failing: { added: 1, updated: 0, deleted: 0 } },
    });
    expect(failed).toMatchObject({ ...common, ...ran, nextScheduledSyncAt: expect.stringMatching(/Z$/) });
    const { errors } = (await hub.call('GET', '/connections/c1?provider_config_key=acme')).body;
    expect(errors).toEqual([{ type: 'sync', log_id: expect.any(String) }]);
  });
});

describe('runs', () => {
  it('begin on every connection that has the sync, when no connection is named', async () => {
    const response = await post('/sync/trigger', { syncs: ['simple', 'none'], provider_config_key: 'acme' });

    expect(response).toMatchObject({ status: 200, body: { success: true } });
    await waitForSync(hub.connection, 'simple', hasSucceeded);
    await waitForSync({ ...hub.connection, connectionId: 'c2' }, 'simple', hasSucceeded);
  });

  it('a trigger during a run is dropped, one with reset starts again', async () => {
    closeGate();
    const before = begun().length;
    await trigger('held');
    await runs(before + 1);
    await waitFor(async () => (await state('held')).checkpoint);

    expect(await trigger('held')).toMatchObject({ status: 200, body: { success: true } });
    expect(await state('held')).toMatchObject({
      status: 'RUNNING',
      latestExecutionStatus: 'RUNNING',
      recordCount: { Held: 1 },
    });
    expect(await state('held')).not.toHaveProperty('finishedAt');
    expect(await trigger('held', { opts: { reset: true } })).toMatchObject({ status: 200 });
    await runs(before + 2);
    letGo();
    await waitForSync(hub.connection, 'held', hasSucceeded);

    expect(begun().slice(before)).toEqual([
      { last: null, checkpoint: null, variant: 'base' },
      { last: null, checkpoint: null, variant: 'base' },
    ]);
  });

  it('the next run knows the start of the last success and the checkpoint, until a reset', async () => {
    await trigger('held');
    await waitForSync(hub.connection, 'held', hasSucceeded);
    const before = begun().length;
    for (const [index, more] of [
      {},
      { opts: { emptyCache: true } },
      { full_resync: true },
      { sync_mode: 'incremental' },
    ].entries()) {
      const previous = (await state('held')).finishedAt;
      await trigger('held', more);
      await runs(before + index + 1);
      await waitForSync(hub.connection, 'held', (now) => hasSucceeded(now) && now.finishedAt !== previous);
    }

    const known = { last: expect.stringMatching(/Z$/), checkpoint: { page: 1 }, variant: 'base' };
    expect(begun().slice(before)).toEqual([known, known, { last: null, checkpoint: null, variant: 'base' }, known]);
  });

  it('reset with emptyCache adds every record again', async () => {
    await trigger('held');
    await waitForSync(hub.connection, 'held', hasSucceeded);
    const [before] = (await hub.records('model=Held')).body.records;
    const previous = (await state('held')).finishedAt;

    await trigger('held', { sync_mode: 'full_refresh_and_clear_cache' });
    const done = await waitForSync(hub.connection, 'held', (now) => hasSucceeded(now) && now.finishedAt !== previous);

    const [after] = (await hub.records('model=Held')).body.records;
    expect(done.latestResult).toEqual({ Held: { added: 2, updated: 0, deleted: 0 } });
    expect(after._nango_metadata.first_seen_at > before._nango_metadata.first_seen_at).toBe(true);
    expect(after._nango_metadata.last_action).toBe('ADDED');
  });

  it('pause ends a run at once, even one that never asks for anything', async () => {
    const before = begun().length;
    const spinning = { syncs: ['spinning'], provider_config_key: 'acme', connection_id: 'c1' };
    await post('/sync/start', spinning);
    await runs(before + 1);

    await post('/sync/pause', spinning);

    const ended = await waitForSync(hub.connection, 'spinning', ({ finishedAt }) => finishedAt !== undefined);
    expect(ended).toMatchObject({ status: 'PAUSED', latestExecutionStatus: 'STOPPED' });
  });

  it('pause leaves a run alone that was asked for while the sync was paused', async () => {
    closeGate();
    const before = begun().length;
    await trigger('held');
    await runs(before + 1);

    await post('/sync/pause', { syncs: ['held'], provider_config_key: 'acme', connection_id: 'c1' });
    expect((await state('held')).status).toBe('RUNNING');
    letGo();

    const ended = await waitForSync(hub.connection, 'held', ({ finishedAt }) => finishedAt !== undefined);
    expect(ended).toMatchObject({ status: 'PAUSED', latestExecutionStatus: 'SUCCESS' });
  });

  it('pause drops what the run would still have written', async () => {
    closeGate();
    const held = { syncs: ['held'], provider_config_key: 'acme', connection_id: 'c1' };
    await post('/sync/start', held);
    await trigger('held', { opts: { reset: true, emptyCache: true } });
    await waitForSync(
      hub.connection,
      'held',
      ({ status, recordCount }) => status === 'RUNNING' && recordCount?.['Held'] === 1,
    );

    await post('/sync/pause', held);
    letGo();

    const ended = await waitForSync(hub.connection, 'held', ({ finishedAt }) => finishedAt !== undefined);
    expect(ended).toMatchObject({ latestExecutionStatus: 'STOPPED', recordCount: { Held: 1 } });
  });
});

describe('variants', () => {
  const path = (variant: string, name = 'held'): string => `/sync/${name}/variant/${variant}`;
  const to = { provider_config_key: 'acme', connection_id: 'c1' };

  it.each([
    ['POST', path('BASE'), to, 400, { code: 'invalid_variant', message: expect.any(String) }],
    ['POST', path('eu'), { ...to, connection_id: 'none' }, 400, { code: 'unknown_connection' }],
    ['POST', path('eu'), { ...to, provider_config_key: 'none' }, 400, { code: 'unknown_connection' }],
    ['POST', path('eu', 'none'), to, 400, { code: 'unknown_sync' }],
    ['DELETE', path('Base'), to, 400, { code: 'invalid_variant', message: expect.any(String) }],
    ['DELETE', path('none'), to, 404, { code: 'not_found' }],
    ['DELETE', path('none'), { ...to, connection_id: 'none' }, 400, { code: 'unknown_connection' }],
  ])('%s %s refuses', async (method, url, body, status, error) => {
    const response = await hub.call(method, url, { body });

    expect({ status: response.status, error: response.body.error }).toEqual({
      status,
      error: { ...error, docs: expect.any(String) },
    });
  });

  it.each([
    ['POST', path('a b'), { ...to, more: 1 }, 'invalid_body'],
    ['POST', `${path('a%20b')}?x=1`, to, 'invalid_uri_params'],
    ['POST', `${path('eu')}?x=1`, to, 'invalid_query_params'],
  ])('%s %s checks body, path, query', async (method, url, body, code) => {
    expect(await hub.call(method, url, { body })).toMatchObject({ status: 400, body: { error: { code } } });
  });

  it('have their own runs, records and checkpoint, and leave with them', async () => {
    const made = await hub.call('POST', path('eu'), { body: to });
    const twice = await hub.call('POST', path('eu'), { body: to });
    await post('/sync/trigger', { syncs: [{ name: 'held', variant: 'eu' }], ...to });
    const done = await waitForSync(hub.connection, 'held::eu', hasSucceeded);
    const base = (await hub.records('model=Held')).body.records;

    expect(made).toMatchObject({ status: 200, body: { id: expect.any(String), name: 'held', variant: 'eu' } });
    expect({ status: twice.status, error: twice.body.error }).toEqual({
      status: 400,
      error: { code: 'sync_variant_already_exists', docs: expect.any(String) },
    });
    expect(done).toMatchObject({ variant: 'eu', checkpoint: { page: 1 } });
    expect((await hub.records('model=Held&variant=eu')).body.records.map(({ id }: { id: string }) => id)).toEqual([
      'eu',
      'after-gate',
    ]);
    expect(begun().at(-1)).toMatchObject({ variant: 'eu', last: null });

    expect(await hub.call('DELETE', path('eu'), { body: to })).toMatchObject({ status: 200, body: { success: true } });
    expect((await hub.records('model=Held&variant=eu')).body.records).toEqual([]);
    expect((await hub.records('model=Held')).body.records).toEqual(base);
    expect(await syncState(hub.connection, 'held::eu')).toBeUndefined();
  });

  it('are deleted by one of several calls at once; the others find nothing', async () => {
    await hub.call('POST', path('brief', 'simple'), { body: to });

    const responses = await Promise.all(
      Array.from({ length: 4 }, () => hub.call('DELETE', path('brief', 'simple'), { body: to })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('are at most a hundred per sync and connection', async () => {
    const responses = [];
    for (let n = 1; n < 100; n++)
      responses.push((await hub.call('POST', path(`v${n}`, 'simple'), { body: to })).status);
    const last = await hub.call('POST', path('one-more', 'simple'), { body: to });

    expect(new Set(responses)).toEqual(new Set([200]));
    expect({ status: last.status, code: last.body.error.code }).toEqual({ status: 400, code: 'resource_capped' });
  });
});

describe('PUT /sync/update-connection-frequency', () => {
  const put = (body: Record<string, unknown>, query = ''): Promise<HubResponse> =>
    hub.call('PUT', `/sync/update-connection-frequency${query}`, {
      body: { sync_name: 'fails', provider_config_key: 'acme', connection_id: 'c2', ...body },
    });

  it.each([
    ['every 5 minutes', '5 minutes'],
    ['every hour', '1h'],
    ['every day', '1d'],
    ['every week', '1w'],
    ['every month', '30d'],
    ['month', '30d'],
    ['every half day', '12h'],
    ['every half hour', '30m'],
    ['every quarter hour', '15m'],
    ['every 2 weeks', '2 weeks'],
    ['30s', '30s'],
    ['every 6min', '6min'],
  ])('%s gives %s, and the status tells it as sent', async (frequency, answered) => {
    expect(await put({ frequency })).toMatchObject({ status: 200, body: { frequency: answered } });
    expect((await syncState({ ...hub.connection, connectionId: 'c2' }, 'fails'))?.frequency).toBe(frequency);
  });

  it('null gives the pace of the function back', async () => {
    await put({ frequency: 'every day' });
    expect(await put({ frequency: null })).toMatchObject({ status: 200, body: { frequency: 'every 2 hours' } });
    expect((await syncState({ ...hub.connection, connectionId: 'c2' }, 'fails'))?.frequency).toBe('every 2 hours');
  });

  it.each([
    [{ frequency: 'every 29 seconds' }, '', 'invalid_body'],
    [{ frequency: 'every minute' }, '', 'invalid_body'],
    [{ frequency: 'soon' }, '', 'invalid_body'],
    [{ frequency: 'every 1.5 hours' }, '', 'invalid_body'],
    [{}, '', 'invalid_body'],
    [{ frequency: '1h' }, '?x=1', 'invalid_query_params'],
    [{ frequency: '1h', connection_id: 'none' }, '', 'unknown_connection'],
    [{ frequency: '1h', provider_config_key: 'none' }, '', 'unknown_connection'],
    [{ frequency: '1h', sync_name: 'none' }, '', 'unknown_sync'],
    [{ frequency: '1h', sync_variant: 'none' }, '', 'unknown_sync'],
  ])('refuses %j%s with %s', async (body, query, code) => {
    const response = await put(body, query);

    expect({ status: response.status, code: response.body.error?.code }).toEqual({
      status: 400,
      code: expect.stringMatching(`^(${code})$`),
    });
  });
});
