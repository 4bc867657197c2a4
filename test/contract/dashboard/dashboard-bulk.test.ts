import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const KEY = 'practice-canary-key';

let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
  await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key: 'tracker' } });
  for (const id of ['a/1', 'b', 'c']) await importConnection(id);
});
afterAll(() => server.close());

const importConnection = (id: string) =>
  client.call('POST /api/v1/connections', {
    body: {
      provider_config_key: 'tracker',
      connection_id: id,
      credentials: { type: 'API_KEY', apiKey: KEY },
      tags: { team: 'blue' },
    },
  });
const ref = (connectionId: string) => ({ integrationKey: 'tracker', connectionId });

async function exportLines(path: string): Promise<Array<Record<string, unknown>>> {
  const response = await fetch(`${server.url}/api/v1/export/${path}`, { headers: client.headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/x-ndjson');
  const text = await response.text();
  expect(text).not.toContain(KEY);
  const lines = text.split('\n').filter((line) => line !== '');
  expect(response.headers.get('x-total-count')).toBe(String(lines.length));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a command for many connections', () => {
  it('is run for each, and returns the failure of each', async () => {
    const { problems } = await client.call('POST /api/v1/connections/bulk', {
      body: { command: 'tag', targets: [ref('a/1'), ref('nobody'), ref('b')], tags: { plan: 'pro' } },
    });

    expect(problems).toEqual([null, { code: 'not_found', message: expect.stringContaining('"nobody"') }, null]);
    const { data } = await client.call('GET /api/v1/connections', { query: { sort: 'id' } });
    expect(data.map(({ tags }) => tags)).toEqual([
      { team: 'blue', plan: 'pro' },
      { team: 'blue', plan: 'pro' },
      { team: 'blue' },
    ]);
  });

  it('refuses to refresh connections without a token, and continues', async () => {
    const { problems } = await client.call('POST /api/v1/connections/bulk', {
      body: { command: 'refresh', targets: [ref('b'), ref('c')] },
    });

    expect(problems.map((one) => one?.code)).toEqual(['invalid_credentials', 'invalid_credentials']);
  });

  it('pauses, resumes and runs connections without syncs, and deletes them', async () => {
    await importConnection('short-lived');
    for (const command of ['pause', 'resume', 'run', 'delete'] as const) {
      const response = await client.call('POST /api/v1/connections/bulk', {
        body: { command, targets: [ref('short-lived')] },
      });
      expect(response.problems).toEqual([null]);
    }

    expect((await client.call('GET /api/v1/connections', { query: { search: 'short-lived' } })).total).toBe(0);
  });
});

describe('the audit of a command', () => {
  const newest = async () => (await client.call('GET /api/v1/audit', { query: { sort: '-time' } })).data[0];

  it('names the connection, or the first ones', async () => {
    await client.call('POST /api/v1/connections/bulk', { body: { command: 'pause', targets: [ref('b')] } });
    expect(await newest()).toMatchObject({ integrationKey: 'tracker', connectionId: 'b', subject: 'pause' });

    const targets = [ref('a/1'), ref('b'), ...Array.from({ length: 12 }, (_, index) => ref(`gone-${index}`))];
    await client.call('POST /api/v1/connections/bulk', { body: { command: 'pause', targets } });
    expect(await newest()).toMatchObject({
      integrationKey: null,
      connectionId: null,
      subject: 'pause a/1, b, gone-0, gone-1, gone-2 and 9 more',
    });
  });

  it('names the function', async () => {
    const targets = [{ integrationKey: 'tracker', type: 'action', name: 'greet' }] as const;
    await client.call('POST /api/v1/functions/bulk', { body: { isEnabled: false, targets: [...targets] } });
    expect(await newest()).toMatchObject({ integrationKey: 'tracker', subject: 'disable greet' });
  });
});

describe('an export', () => {
  it('streams every row of the filter, one a line, without secrets', async () => {
    const rows = await exportLines('connections?env=dev&sort=id');

    expect(rows.map((row) => row['connectionId'])).toEqual(['a/1', 'b', 'c']);
    expect(await exportLines('connections?env=dev&search=nobody')).toEqual([]);
    expect(await exportLines('integrations?env=dev')).toMatchObject([{ key: 'tracker' }]);
    await exportLines('functions?env=dev');
    await exportLines('logs/operations?env=dev&types=auth');
    const operation = await waitFor(async () => (await exportLines('logs/operations?env=dev'))[0], {
      what: 'the log to be written',
    });
    await exportLines(`logs/messages?env=dev&operationId=${operation['id']}`);
    await exportLines('webhooks/outgoing?env=dev');
    await exportLines('audit?env=dev');
    expect(await exportLines('connections/tracker/b/records?env=dev&model=Item&variant=base')).toEqual([]);
  });

  it('says what is wrong with a request before a row is sent', async () => {
    const refused = async (path: string): Promise<number> =>
      (await fetch(`${server.url}/api/v1/export/${path}`, { headers: client.headers })).status;

    expect(await refused('connections?env=nowhere')).toBe(404);
    expect(await refused('connections?env=dev&limit=5')).toBe(400);
    expect((await fetch(`${server.url}/api/v1/export/connections?env=dev`)).status).toBe(401);
  });
});

describe('connections by tag and type of credentials', () => {
  it('are listed and counted', async () => {
    await client.call('POST /api/v1/connections/bulk', {
      body: { command: 'tag', targets: [ref('a/1'), ref('b')], tags: { plan: 'pro' } },
    });
    const list = async (query: Record<string, string>) => {
      const { data, total } = await client.call('GET /api/v1/connections', { query: { sort: 'id', ...query } });
      const count = await client.call('GET /api/v1/connections/count', { query });
      expect([total, count.total]).toEqual([data.length, data.length]);
      return data.map(({ connectionId }) => connectionId);
    };

    expect(await list({ tags: 'plan: pro,plan: free' })).toEqual(['a/1', 'b']);
    expect(await list({ tags: 'team: blue', authModes: 'API_KEY' })).toEqual(['a/1', 'b', 'c']);
    expect(await list({ tags: 'team: red' })).toEqual([]);
    expect(await list({ authModes: 'OAUTH2,NONE' })).toEqual([]);
  });
});

describe('values of a filter', () => {
  it('come with the rows they have, by name or key', async () => {
    const values = (of: string, search = '') =>
      client.call('GET /api/v1/filter-values', { query: { of, search } }).then(({ data }) => data);

    expect(await values('connections.integrations')).toEqual([
      { value: 'tracker', label: 'Practice tracker', provider: 'practice', count: 3 },
    ]);
    expect(await values('connections.integrations', 'nothing')).toEqual([]);
    expect(await values('integrations.authModes')).toEqual([
      { value: 'API_KEY', label: null, provider: null, count: 1 },
    ]);
    const tags = await values('connections.tags', 'BLUE');
    expect(tags).toEqual([{ value: 'team: blue', label: null, provider: null, count: 3 }]);
    expect(await values('connections.authModes')).toMatchObject([{ value: 'API_KEY', count: 3 }]);
    expect(await values('operations.connections', 'a/')).toMatchObject([{ value: 'a/1' }]);
    const ofIntegration = (integration: string) =>
      client.call('GET /api/v1/filter-values', { query: { of: 'operations.connections', integration } });
    expect((await ofIntegration('tracker')).data).toContainEqual(expect.objectContaining({ value: 'a/1' }));
    expect((await ofIntegration('other')).data).toEqual([]);
    for (const of of ['functions.integrations', 'functions.types', 'outgoing.integrations', 'outgoing.connections'])
      expect(await values(of), of).toEqual([]);
  });

  it('of connections are found by the name of their customer, and are called by it', async () => {
    const importOf = (id: string, endUser: { id: string; display_name?: string }) =>
      client.call('POST /api/v1/connections', {
        body: {
          provider_config_key: 'tracker',
          connection_id: id,
          credentials: { type: 'API_KEY', apiKey: KEY },
          end_user: endUser,
        },
      });
    await importOf('zz-17', { id: 'u-1', display_name: 'Pinecone Labs' });
    await importOf('zz-18', { id: 'test-user' });
    const values = (search: string) =>
      client
        .call('GET /api/v1/filter-values', { query: { of: 'operations.connections', search } })
        .then(({ data }) => data.map(({ value, label, provider }) => [value, label, provider]));

    await waitFor(async () => (await values('zz-18')).length > 0, { what: 'the logged imports' });
    expect(await values('PINE')).toEqual([['zz-17', 'Pinecone Labs', 'practice']]);
    expect(await values('test-us')).toEqual([['zz-18', 'test-user', 'practice']]);

    const { data } = await client.call('GET /api/v1/connections', { query: { search: 'zz-', sort: 'name' } });
    expect(data.map(({ displayName }) => displayName)).toEqual(['Pinecone Labs', 'test-user']);
    await client.call('POST /api/v1/connections/bulk', {
      body: { command: 'delete', targets: [ref('zz-17'), ref('zz-18')] },
    });
  });
});
