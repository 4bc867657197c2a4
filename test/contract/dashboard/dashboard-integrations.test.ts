import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const SECRET = 'canary-client-secret';
let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
});
afterAll(() => server.close());

const ONE = 'GET /api/v1/integrations/:integrationKey';
const CHANGE = 'PATCH /api/v1/integrations/:integrationKey';
const create = (key: string, config: Record<string, string> = {}, provider = 'github') =>
  client.call('POST /api/v1/integrations', { body: { provider, key, config } });

describe('providers', () => {
  it('come whole, by display name', async () => {
    const { data } = await client.call('GET /api/v1/providers');

    const names = data.map((row) => row.displayName);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
    expect(data.find((row) => row.name === 'practice')).toMatchObject({
      authMode: 'API_KEY',
      categories: ['ticketing', 'dev-tools'],
    });
    expect(data.find((row) => row.name === 'google-mail')?.searchTerms).toContain('mail');
  });

  it('tell the inputs they ask for', async () => {
    const practice = await client.call('GET /api/v1/providers/:provider', { params: { provider: 'practice' } });

    expect(practice.credentialFields).toMatchObject([{ name: 'apiKey', title: 'API key', secret: true }]);
    expect(await client.refusal('GET /api/v1/providers/:provider', { params: { provider: 'nobody' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('integrations of the dashboard', () => {
  it('may be created before the app at the provider is known, and say what is missing', async () => {
    const created = await create('gh-later');

    expect(created).toMatchObject({ key: 'gh-later', authMode: 'OAUTH2', secretsSet: [], connectionCount: 0 });
    // At GitHub a sign-in with a code needs no client secret.
    expect(created.missingFields).toEqual(['client_id']);
  });

  it('keep secret values out of every answer and give them one at a time', async () => {
    await create('gh', { client_id: 'the-id', client_secret: SECRET });

    const shown = await client.call(ONE, { params: { integrationKey: 'gh' } });
    expect(shown.config).toMatchObject({ client_id: 'the-id' });
    expect(shown.secretsSet).toEqual(['client_secret']);
    expect(JSON.stringify([shown, await client.call('GET /api/v1/integrations')])).not.toContain(SECRET);
    const secret = { kind: 'integration', integrationKey: 'gh', field: 'client_secret' };
    expect(await client.call('POST /api/v1/reveal', { body: secret })).toEqual({ value: SECRET });
    expect(await client.refusal('POST /api/v1/reveal', { body: { ...secret, field: 'other' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('keep a history of their changes, in which secrets have no values, and undo one', async () => {
    const params = { integrationKey: 'gh-history' };
    const list = async () => (await client.call('GET /api/v1/integrations/:integrationKey/changes', { params })).data;
    const undo = (changeId: number | undefined) => ({ params: { ...params, changeId: String(changeId) } }) as const;
    const UNDO = 'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo';
    await create('gh-history', { client_id: 'first-id', client_secret: SECRET, scopes: 'repo' });
    expect(await list()).toEqual([]);

    await client.call(CHANGE, { params, body: { config: { client_secret: 'canary-second', scopes: null } } });
    await client.call(CHANGE, { params, body: { displayName: 'GitHub', forwardWebhooks: false } });
    await client.call(CHANGE, { params, body: { displayName: 'GitHub' } });

    const changes = await list();
    expect(changes.map(({ fields }) => fields)).toEqual([
      [
        { field: 'forwardWebhooks', isSecret: false, before: 'true', after: 'false' },
        { field: 'displayName', isSecret: false, before: null, after: 'GitHub' },
      ],
      [
        { field: 'config.client_secret', isSecret: true, before: null, after: null },
        { field: 'config.scopes', isSecret: false, before: 'repo', after: null },
      ],
    ]);
    const [, ofSecret] = changes;

    const undone = await client.call(UNDO, undo(ofSecret?.id));
    expect(undone.config).toMatchObject({ client_id: 'first-id', scopes: 'repo' });
    const secret = { kind: 'integration', integrationKey: 'gh-history', field: 'client_secret' };
    expect(await client.call('POST /api/v1/reveal', { body: secret })).toEqual({ value: SECRET });
    expect((await list())[0]).toMatchObject({ isUndo: true, changedSince: [] });
    expect((await list())[2]?.changedSince).toEqual(['config.client_secret', 'config.scopes']);
    expect(await client.refusal(UNDO, undo(ofSecret?.id))).toEqual({ status: 409, code: 'conflict' });
    expect(await client.refusal(UNDO, undo(987_654))).toEqual({ status: 404, code: 'not_found' });
    const stored = JSON.stringify(await server.database.reader.all('SELECT * FROM integration_changes'));
    expect(stored).not.toMatch(/canary|first-id|repo/);

    await client.call('DELETE /api/v1/integrations/:integrationKey', { params });
    await create('gh-history');
    expect(await list()).toEqual([]);
    const ids = changes.map(({ id }) => id).join();
    const left = `SELECT id FROM integration_changes WHERE id IN (SELECT value FROM json_each('[${ids}]'))`;
    expect(await server.database.reader.all(left)).toEqual([]);
  });

  it('change single fields; null empties one, and absent ones stay', async () => {
    await create('gh-change', { client_id: 'old', client_secret: SECRET, scopes: 'repo' });

    const changed = await client.call(CHANGE, {
      params: { integrationKey: 'gh-change' },
      body: { displayName: 'My GitHub', forwardWebhooks: false, config: { client_id: 'new', scopes: null } },
    });

    expect(changed).toMatchObject({
      displayName: 'My GitHub',
      forwardWebhooks: false,
      config: { client_id: 'new' },
      secretsSet: ['client_secret'],
    });
    expect(changed.config).not.toHaveProperty('scopes');
  });

  it('are renamed while their key is free', async () => {
    await create('gh-rename');
    await create('gh-other');

    const renamed = await client.call(CHANGE, { params: { integrationKey: 'gh-rename' }, body: { key: 'gh-renamed' } });

    expect(renamed.key).toBe('gh-renamed');
    expect(
      await client.refusal(CHANGE, { params: { integrationKey: 'gh-renamed' }, body: { key: 'gh-other' } }),
    ).toEqual({ status: 409, code: 'conflict' });
    expect(await client.refusal(ONE, { params: { integrationKey: 'gh-rename' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('refuse taken keys, unknown providers, unknown fields and values of the wrong form', async () => {
    await create('taken');
    const refuse = (body: Record<string, unknown>) =>
      client.refusal('POST /api/v1/integrations', { body: { provider: 'github', key: 'k', ...body } });

    expect(await refuse({ key: 'taken' })).toEqual({ status: 409, code: 'conflict' });
    expect(await refuse({ provider: 'nobody' })).toEqual({ status: 400, code: 'unknown_provider' });
    expect(await refuse({ config: { colour: 'red' } })).toEqual({ status: 400, code: 'invalid_body' });
    expect(await refuse({ config: { scopes: 'not a list' } })).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('are searched, ordered and paged inside a snapshot', async () => {
    await create('page-a');
    await create('page-b');
    const list = (query: Record<string, string>) =>
      client.call('GET /api/v1/integrations', { query: { search: 'page-', ...query } });

    const first = await list({ sort: '-key', limit: '1' });
    await create('page-c');
    const second = await list({ sort: '-key', limit: '1', offset: '1', snapshot: first.snapshot });

    expect([first.data[0]?.key, second.data[0]?.key]).toEqual(['page-b', 'page-a']);
    expect([first.total, second.total]).toEqual([2, 2]);
    expect((await list({})).total).toBe(3);
  });

  it('show their calls of the last 24 hours by hour, and are ordered by them', async () => {
    await create('calls-few');
    await create('calls-many');
    for (const [integrationKey, state] of [
      ['calls-few', 'success'],
      ['calls-many', 'success'],
      ['calls-many', 'failed'],
    ] as const) {
      server.logs
        .start({ environmentId: server.environment.id, type: 'proxy', action: 'call', integrationKey, message: 'Call' })
        .finish(state);
    }
    await server.logs.flush();

    const { data } = await client.call('GET /api/v1/integrations', { query: { search: 'calls-', sort: '-calls' } });

    expect(data.map(({ key, callHours }) => [key, callHours.length, callHours.at(-1)])).toEqual([
      ['calls-many', 24, { calls: 2, failed: 1 }],
      ['calls-few', 24, { calls: 1, failed: 0 }],
    ]);
  });

  it('are narrowed to a category, and to those that need a look', async () => {
    await create('cat-code', { client_id: 'id', client_secret: SECRET });
    await create('cat-unfinished');
    await create('cat-practice', {}, 'practice');
    const keys = async (query: Record<string, string>) =>
      (await client.call('GET /api/v1/integrations', { query: { search: 'cat-', sort: 'key', ...query } })).data.map(
        ({ key }) => key,
      );

    expect(await keys({ categories: 'ticketing' })).toContain('cat-practice');
    expect(await keys({ categories: 'accounting' })).toEqual([]);
    expect(await keys({ having: 'errors' })).toEqual(['cat-unfinished']);
    expect(await keys({ having: 'functions' })).toEqual([]);
    const values = await client.call('GET /api/v1/filter-values', { query: { of: 'integrations.categories' } });
    expect(values.data.find(({ value }) => value === 'ticketing')?.count).toBeGreaterThan(0);
  });

  it('are copied into an environment with their secrets and without their connections', async () => {
    await create('copied', { client_id: 'the-id', client_secret: SECRET, scopes: 'repo,user' });
    await client.call(CHANGE, { params: { integrationKey: 'copied' }, body: { forwardWebhooks: false } });
    const COPY = 'POST /api/v1/integrations/:integrationKey/duplicate';
    const params = { integrationKey: 'copied' };
    await client.call('POST /api/v1/environments', { body: { name: 'prod' } });

    const made = await client.call(COPY, { params, body: { environment: 'prod', key: 'copied' } });

    expect(made).toMatchObject({
      key: 'copied',
      scopes: ['repo', 'user'],
      forwardWebhooks: false,
      connectionCount: 0,
      secretsSet: ['client_secret'],
    });
    const query = { env: 'prod' };
    const secret = { kind: 'integration', integrationKey: 'copied', field: 'client_secret' };
    expect(await client.call('POST /api/v1/reveal', { query, body: secret })).toEqual({ value: SECRET });
    expect(await client.call(COPY, { params, body: { environment: 'dev', key: 'copied-2' } })).toMatchObject({
      key: 'copied-2',
    });
    expect(await client.refusal(COPY, { params, body: { environment: 'prod', key: 'copied' } })).toEqual({
      status: 409,
      code: 'conflict',
    });
    expect(await client.refusal(COPY, { params, body: { environment: 'nowhere', key: 'x' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('go with their connections', async () => {
    await create('going');

    await client.call('DELETE /api/v1/integrations/:integrationKey', { params: { integrationKey: 'going' } });

    expect(await client.refusal(ONE, { params: { integrationKey: 'going' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('POST /api/v1/reveal', () => {
  it('gives the secret key of the environment', async () => {
    const { value } = await client.call('POST /api/v1/reveal', { body: { kind: 'secret_key' } });

    expect(value).toBe(await server.environments.revealSecretKey(server.environment.id));
  });

  it('writes down that a secret was shown, and never the secret', async () => {
    const value = await server.environments.revealSecretKey(server.environment.id);

    await client.call('POST /api/v1/reveal', { body: { kind: 'secret_key' } });

    const lines = server.logLines.join('\n');
    expect(lines).toContain('a secret was shown in the dashboard');
    expect(lines).not.toContain(value);
    expect(lines).not.toContain(SECRET);
  });
});
