import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

const FILES = {
  'actions/properties.ts': actionSource(`
    const { connectionId, providerConfigKey, provider, environmentId, environmentName, accountId, nangoConnectionId,
      activityLogId, scriptType, isCLI, runnerFlags, logger, syncConfig } = nango;
    return { connectionId, providerConfigKey, provider, environmentId, environmentName, accountId, nangoConnectionId,
      activityLogId, scriptType, isCLI, logger, name: syncConfig.sync_name, version: syncConfig.version, models: syncConfig.models,
      flags: Object.values(runnerFlags ?? {}).every((value) => value === false),
      unknown: nango.fixtureProvider === undefined, canFetch: 'uncontrolledFetch' in nango,
      proto: Object.getPrototypeOf(nango), keys: Object.keys(nango).filter((key) => key === 'persistClient') };`),
  'actions/hidden.ts': actionSource(`return nango[input.name];`),
  'actions/connection.ts': actionSource(`
    const first = await nango.getConnection();
    const again = await nango.getConnection();
    const other = await nango.getConnection('acme', 'c2');
    return { first, isCached: first.last_fetched_at === again.last_fetched_at, other: other.connection_id,
      token: await nango.getToken() };`),
  'actions/metadata.ts': actionSource(`
    const before = await nango.getMetadata();
    const set = await nango.setMetadata({ a: 1, nested: { x: 1 } });
    const afterSet = await nango.getMetadata();
    const update = await nango.updateMetadata({ b: 2, nested: { y: 2 } });
    return { before, afterSet, afterUpdate: await nango.getMetadata(), set: [set.status, set.data], update: [update.status, update.data],
      connection: (await nango.getConnection()).metadata };`),
  'actions/deep-metadata.ts': actionSource(`
    let deep = {};
    for (let level = 1; level < input.levels; level += 1) deep = { a: deep };
    try {
      return (await nango[input.member]({ deep })).status;
    } catch (error) {
      return error.message;
    }`),
  'actions/deep-output.ts': actionSource(`
    let deep = {};
    for (let level = 0; level < 300; level += 1) deep = { a: deep };
    return deep;`),
  'actions/integration.ts': actionSource(`
    const plain = await nango.getIntegration();
    const full = await nango.getIntegration({ include: ['credentials', 'webhook'] });
    return { plain, full: Object.keys(full).sort(), webhook: await nango.getWebhookURL() ?? null,
      variables: await nango.getEnvironmentVariables() };`),
  'actions/double.ts': actionSource(`return { doubled: input.n * 2 };`),
  'actions/refuse.ts': actionSource(`throw new nango.ActionError({ reason: 'closed', input });`),
  'actions/call-both.ts': actionSource(`
    const short = await nango.triggerAction('double', { n: 2 });
    const long = await nango.triggerAction('acme', 'c2', 'double', { n: 3 });
    return { short, long };`),
  'actions/call-refused.ts': actionSource(`
    try {
      await nango.triggerAction('refuse', { n: 1 });
    } catch (error) {
      return { status: error.response.status, data: error.response.data };
    }`),
  'actions/call-unknown.ts': actionSource(`
    try {
      await nango.triggerAction('nothing-here');
    } catch (error) {
      return { status: error.response.status, code: error.response.data.error.code };
    }`),
  'actions/call-itself.ts': actionSource(`
    const depth = input.depth ?? 0;
    return nango.triggerAction('call-itself', { depth: depth + 1 }).catch((error) => ({ depth, refused: error.response.data.error.code }));`),
  'actions/fan-out.ts': actionSource(`
    if (input.depth === 3) return 1;
    const counts = await Promise.all([1, 2, 3, 4].map(() => nango.triggerAction('fan-out', { depth: (input.depth ?? 0) + 1 })));
    return counts.reduce((sum, count) => sum + count, 0);`),
  'actions/control-sync.ts': actionSource(`
    const results = [
      await nango.triggerSync('acme', 'c1', 'count', { reset: true }),
      await nango.startSync('acme', ['count'], 'c2'),
    ];
    return results.map((result) => result === undefined);`),
  'syncs/count.ts': syncSource(`await nango.batchSave([{ id: '1', text: 'x' }], 'Item');`),
  'actions/validate.ts': actionSource(`
    const schema = z.object({ n: z.coerce.number(), tags: z.array(z.string()).default([]) });
    const { data } = await nango.zodValidateInput({ zodSchema: schema, input });
    return data;`),
  'actions/fetch.ts': actionSource(`
    const response = await nango.uncontrolledFetch({ url: new URL(input.url), method: input.method ?? 'GET', body: input.body ?? null });
    return { ok: response.ok, status: response.status, type: response.headers.get('content-type'), json: await response.json() };`),
  'actions/fetch-caught.ts': actionSource(`
    try {
      await nango.uncontrolledFetch({ url: new URL(input.url) });
    } catch (error) {
      return { isActionError: error instanceof nango.ActionError, code: error.payload?.code };
    }`),
  'actions/locks.ts': actionSource(`
    const first = await nango.tryAcquireLock({ key: input.key, ttlMs: 60000 });
    const renewed = await nango.tryAcquireLock({ key: input.key, ttlMs: 60000 });
    if (input.waits) await nango.get({ endpoint: '/slow' });
    const released = input.keeps ? null : await nango.releaseLock({ key: input.key });
    const twice = input.keeps ? null : await nango.releaseLock({ key: input.key });
    if (input.all) await nango.tryAcquireLock({ key: 'other', ttlMs: 60000 });
    if (input.all) await nango.releaseAllLocks();
    if (input.all) return nango.triggerAction('locks', { key: 'other' });
    return { first, renewed, released, twice };`),
  'actions/checkpoints.ts': actionSource(`
    const before = await nango.getCheckpoint();
    const at = new Date('2026-01-02T03:04:05.678Z');
    await nango.saveCheckpoint({ n: (before?.n ?? 0) + 1, text: 'x', flag: true, at });
    const saved = await nango.getCheckpoint();
    if (input.clear) await nango.clearCheckpoint();
    return { before, saved, after: await nango.getCheckpoint() };`),
  'actions/long-checkpoint.ts': actionSource(`
    await nango.saveCheckpoint({ link: 'x'.repeat(6000) });
    return (await nango.getCheckpoint()).link.length;`),
  'actions/bad-checkpoint.ts': actionSource(`
    const refused = [];
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => ['f' + n, n]));
    for (const value of [{ a: { b: 1 } }, { a: 'x'.repeat(270_000) }, many, 'text', { ['k'.repeat(256)]: 1 }, { a: null }]) {
      await nango.saveCheckpoint(value).then(() => refused.push(false), (error) => refused.push(error instanceof Error));
    }
    return refused;`),
};

let hub: FunctionHub;

beforeAll(async () => {
  // Wide and deep calls wait for memory; with this much, none of them waits for half a minute.
  hub = await startFunctionHub(FILES, { env: { HOMEPORT_FUNCTION_MEMORY_MB: '16384' } });
  await hub.addConnection('c2', { metadata: { from: 'import' } });
});
afterAll(() => hub?.stop());

describe('the context of an action', () => {
  it('has the properties of the run and nothing of its inside', async () => {
    const { body } = await hub.action('properties');

    expect(body).toEqual({
      connectionId: 'c1',
      providerConfigKey: 'acme',
      provider: 'acme',
      environmentId: expect.any(Number),
      environmentName: 'dev',
      accountId: expect.any(Number),
      nangoConnectionId: expect.any(Number),
      activityLogId: expect.any(String),
      scriptType: 'action',
      isCLI: false,
      logger: { level: 'warn' },
      name: 'properties',
      version: '1.0.0',
      models: ['ActionOutput_acme_properties'],
      flags: true,
      unknown: true,
      canFetch: true,
      proto: null,
      keys: [],
    });
  });

  it('refuses to show internal names', async () => {
    const { body } = await hub.action('hidden', { name: 'persistClient' });

    expect(body.error).toMatchObject({
      code: 'script_internal_error',
      payload: { message: 'Access to "persistClient" is not allowed.' },
    });
  });
});

describe('connection and metadata', () => {
  beforeEach(() => hub.renewConnection());

  it('reads the connection as the API shows it', async () => {
    const { body } = await hub.action('connection');

    expect(body).toMatchObject({
      first: { connection_id: 'c1', provider_config_key: 'acme', credentials: { type: 'API_KEY', apiKey: 'acme-key' } },
      isCached: true,
      other: 'c2',
      token: { type: 'API_KEY', apiKey: 'acme-key' },
    });
  });

  it('replaces and merges metadata, and sees the change at once', async () => {
    const { body } = await hub.action('metadata');

    expect(body).toEqual({
      before: {},
      afterSet: { a: 1, nested: { x: 1 } },
      afterUpdate: { a: 1, b: 2, nested: { y: 2 } },
      set: [201, { connection_id: 'c1', provider_config_key: 'acme', metadata: { a: 1, nested: { x: 1 } } }],
      update: [200, { connection_id: 'c1', provider_config_key: 'acme', metadata: { b: 2, nested: { y: 2 } } }],
      connection: { a: 1, b: 2, nested: { y: 2 } },
    });
  });

  it.each(['setMetadata', 'updateMetadata'])('refuses metadata that nests too deep: %s', async (member) => {
    const taken = await hub.action('deep-metadata', { member, levels: 198 });
    expect(taken.body).toBe(member === 'setMetadata' ? 201 : 200);
    for (const levels of [201, 1000]) {
      const { body } = await hub.action('deep-metadata', { member, levels });
      expect(body).toBe('Metadata may nest 200 levels at most.');
    }
  });

  it('says that an output nests too deep', async () => {
    const { body } = await hub.action('deep-output');

    expect(body.error.message).toContain('its output nests more than 200 levels');
  });

  it('reads the integration, its webhook address and the environment variables', async () => {
    const { body } = await hub.action('integration');

    expect(body.plain).toMatchObject({ unique_key: 'acme', provider: 'acme', display_name: 'Acme' });
    expect(body.plain).not.toHaveProperty('credentials');
    expect(body.full).toEqual(expect.arrayContaining(['credentials', 'webhook_url']));
    expect(body.webhook === null || typeof body.webhook === 'string').toBe(true);
    expect(body.variables).toEqual([]);
  });
});

describe('calls of other functions', () => {
  it('calls an action in both forms', async () => {
    expect((await hub.action('call-both')).body).toEqual({ short: { doubled: 4 }, long: { doubled: 6 } });
  });

  it('rejects with the answer that the API would give', async () => {
    expect((await hub.action('call-refused')).body).toEqual({
      status: 500,
      data: {
        error_type: 'action_script_failure',
        payload: { reason: 'closed', input: { n: 1 } },
        error: {
          code: 'action_script_runtime_error',
          message: expect.any(String),
          payload: { reason: 'closed', input: { n: 1 } },
        },
      },
    });
    expect((await hub.action('call-unknown')).body).toEqual({ status: 404, code: 'not_found' });
  });

  it('ends an action that calls itself without end', async () => {
    expect((await hub.action('call-itself')).body).toEqual({ depth: 8, refused: 'action_failure' });
  });

  it('gets through calls that are wide and deep at once', { tags: ['slow', 'nightly'] }, async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => hub.action('fan-out')));

    expect(responses.map(({ body }) => body)).toEqual(Array.from({ length: 8 }, () => 64));
  });

  it('triggers and starts syncs', async () => {
    const { body } = await hub.action('control-sync');

    expect(body).toEqual([true, true]);
    await waitForSync(hub.connection, 'count', (state) => state.latestExecutionStatus === 'SUCCESS');
    const started = await waitForSync(
      { ...hub.connection, connectionId: 'c2' },
      'count',
      (state) => state.status === 'SUCCESS',
    );
    expect(started.nextScheduledSyncAt).not.toBeNull();
  });
});

describe('zodValidateInput', () => {
  it('gives the parsed input', async () => {
    expect((await hub.action('validate', { n: '3' })).body).toEqual({ n: 3, tags: [] });
  });

  it('ends the action with an ActionError', async () => {
    const { status, body } = await hub.action('validate', { n: 'x', tags: [1] });

    expect(status).toBe(500);
    expect(body).toMatchObject({ error_type: 'action_script_failure', payload: { message: 'Invalid input provided' } });
  });
});

describe('uncontrolledFetch', () => {
  it('refuses the own computer unless the environment allows the host', async () => {
    hub.provider.on('GET /open', { body: { open: true } });

    const { body } = await hub.action('fetch-caught', { url: `${hub.provider.address}/open` });

    expect(body).toEqual({ isActionError: true, code: 'url_not_allowed' });
  });
});

describe('locks', () => {
  it('belong to the run that took them', async () => {
    const key = 'own';
    expect((await hub.action('locks', { key })).body).toEqual({
      first: true,
      renewed: true,
      released: true,
      twice: false,
    });
  });

  it('keep other runs away, and go with the run', async () => {
    let letGo: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      hub.provider.on('GET /slow', async () => {
        resolve();
        await gate;
        return { body: {} };
      });
    });

    const holder = hub.action('locks', { key: 'shared', waits: true, keeps: true });
    await reached;
    const rival = await hub.action('locks', { key: 'shared' });
    letGo();
    await holder;

    expect(rival.body).toEqual({ first: false, renewed: false, released: false, twice: false });
    expect((await hub.action('locks', { key: 'shared' })).body).toMatchObject({ first: true });
  });

  it('are all given back at once, to a run that the function itself begins', async () => {
    expect((await hub.action('locks', { key: 'mine', all: true })).body).toMatchObject({ first: true, released: true });
  });

  it('refuse an empty key', async () => {
    expect((await hub.action('locks', { key: '' })).body.error.code).toBe('script_internal_error');
  });
});

describe('checkpoints of an action', () => {
  const saved = (n: number): Record<string, unknown> => ({ n, text: 'x', flag: true, at: '2026-01-02T03:04:05.678Z' });

  it('live from run to run until cleared', async () => {
    expect((await hub.action('checkpoints')).body).toEqual({ before: null, saved: saved(1), after: saved(1) });
    expect((await hub.action('checkpoints', { clear: true })).body).toEqual({
      before: saved(1),
      saved: saved(2),
      after: null,
    });
    expect((await hub.action('checkpoints')).body).toMatchObject({ before: null });
  });

  it('hold the long links by which some providers go on', async () => {
    expect((await hub.action('long-checkpoint')).body).toBe(6000);
  });

  it('refuse what is not flat and small', async () => {
    expect((await hub.action('bad-checkpoint')).body).toEqual([true, true, true, true, true, true]);
  });
});
