import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const SECRETS = {
  variable: 'canary-variable-5c1e99',
  client: 'canary-client-secret-7aa0',
  hook: 'http://localhost:4000/canary-path-8d2b',
  credentials: 'canary-api-key-90ff13',
  person: 'canary.person@example.com',
};

let server: InProcessServer;
let dashboard: DashboardClient;
beforeAll(async () => {
  server = await startInProcess();
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
  await fillDev();
  await create({ name: 'prod' });
});
afterAll(() => server?.stop());

const DESTINATION = {
  ...{ name: 'Billing', url: 'http://localhost:4100/billing', isEnabled: true },
  ...{ types: ['sync'], integrations: ['github'] },
};

async function fillDev(): Promise<void> {
  await dashboard.call('POST /api/v1/integrations', {
    body: { provider: 'github', key: 'github', config: { client_id: 'id', client_secret: SECRETS.client } },
  });
  await dashboard.call('PATCH /api/v1/settings', {
    body: {
      webhook: { primary_url: SECRETS.hook, on_sync_error: false },
      retention: { logs_days: 40 },
      public_url: 'https://hub.example.com',
      variables: [
        { name: 'TOKEN', value: SECRETS.variable },
        { name: 'REGION', value: 'eu', is_plain: true },
      ],
      connect_ui: {
        showWatermark: false,
        defaultTheme: 'dark',
        theme: { light: { primary: '#7A1FA2' }, dark: { primary: '#CE93D8' } },
      },
    },
  });
  await dashboard.call('POST /api/v1/webhook-destinations', { body: DESTINATION });
}

const create = (body: object) => dashboard.call('POST /api/v1/environments', { body });
const at = (env: string) => ({ query: { env } });
const names = async () => (await dashboard.call('GET /api/v1/meta')).environments.map(({ name }) => name);
const secretKey = async (env: string) =>
  (await dashboard.call('POST /api/v1/reveal', { ...at(env), body: { kind: 'secret_key' } })).value;

describe('environments in the dashboard', () => {
  it('are copied with the chosen parts, their secrets sealed again, and without connections', async () => {
    await create({
      name: 'twin',
      copy: { from: 'dev', parts: ['settings', 'webhooks', 'variables', 'connect_ui', 'integrations'] },
    });
    await create({ name: 'part', copy: { from: 'dev', parts: ['webhooks'] } });

    const settings = await dashboard.call('GET /api/v1/settings', at('twin'));
    expect(settings).toMatchObject({
      public_url: null,
      retention: { logs_days: 40 },
      webhook: { primary_url: SECRETS.hook, on_sync_error: false },
      variables: [
        { name: 'TOKEN', is_plain: false },
        { name: 'REGION', is_plain: true, value: 'eu' },
      ],
      connect_ui: { defaultTheme: 'dark' },
    });
    expect(await dashboard.call('GET /api/v1/webhook-destinations', at('twin'))).toMatchObject({ data: [DESTINATION] });
    const reveal = (body: object) => dashboard.call('POST /api/v1/reveal', { ...at('twin'), body });
    expect(await reveal({ kind: 'variable', name: 'TOKEN' })).toEqual({ value: SECRETS.variable });
    expect(await reveal({ kind: 'integration', integrationKey: 'github', field: 'client_secret' })).toEqual({
      value: SECRETS.client,
    });
    expect(await secretKey('twin')).not.toBe(await secretKey('dev'));
    expect(await dashboard.call('GET /api/v1/environments/current', at('part'))).toMatchObject({
      integrationCount: 0,
      variableCount: 0,
      canRename: true,
      canDelete: true,
    });
    expect((await dashboard.call('GET /api/v1/settings', at('part'))).webhook.primary_url).toBe(SECRETS.hook);
    expect((await dashboard.call('GET /api/v1/settings', at('part'))).retention.logs_days).toBe(15);
  });

  it('are renamed with their key, coloured, made a production one and put in order', async () => {
    await create({ name: 'trial' });
    const key = await secretKey('trial');
    const changed = await dashboard.call('PATCH /api/v1/environments/current', {
      ...at('trial'),
      body: { name: 'staging', colour: 'violet', isProduction: true },
    });
    await dashboard.call('PUT /api/v1/environments/order', { body: { names: ['staging', 'dev'] } });

    expect(changed).toEqual({ name: 'staging', colour: 'violet', isProduction: true });
    expect((await names()).slice(0, 2)).toEqual(['staging', 'dev']);
    expect(await secretKey('staging')).toBe(key);
    expect((await dashboard.refusal('GET /api/v1/settings', at('trial'))).status).toBe(404);
    const refusals = [{ name: 'dev' }, { name: 'proxy' }, { name: 'No Capitals' }];
    for (const body of refusals) {
      const { status } = await dashboard.refusal('PATCH /api/v1/environments/current', { ...at('staging'), body });
      expect([400, 409]).toContain(status);
    }
    for (const body of [{ name: 'other' }, { isProduction: false }])
      expect(await dashboard.refusal('PATCH /api/v1/environments/current', { ...at('prod'), body })).toEqual({
        status: 400,
        code: 'invalid_body',
      });
  });

  it('are deleted after their name was typed, and a later one of that name is another', async () => {
    await create({ name: 'gone', copy: { from: 'dev', parts: ['webhooks'] } });
    const key = await secretKey('gone');
    const wrong = { ...at('gone'), body: { name: 'went' } };
    expect((await dashboard.refusal('DELETE /api/v1/environments/current', wrong)).status).toBe(400);

    await dashboard.call('DELETE /api/v1/environments/current', { ...at('gone'), body: { name: 'gone' } });
    await create({ name: 'gone' });

    expect(await secretKey('gone')).not.toBe(key);
    expect((await dashboard.call('GET /api/v1/settings', at('gone'))).webhook.primary_url).toBeNull();
    for (const name of ['dev', 'prod'])
      expect(
        (await dashboard.refusal('DELETE /api/v1/environments/current', { ...at(name), body: { name } })).code,
      ).toBe('cannot_delete_prod_environment');
  });

  it('give the connect page the look that was set', async () => {
    const issued = await dashboard.call('POST /api/v1/connect-sessions', {
      body: { integrationKey: 'github', endUser: { id: 'someone' } },
    });
    const session = await fetch(`${server.url}/connect/session`, {
      headers: { authorization: `Bearer ${issued.token}` },
    });

    expect(await session.json()).toMatchObject({
      data: { connectUISettings: { defaultTheme: 'dark', theme: { light: { primary: '#7A1FA2' } } } },
    });
  });

  it('keep variables and headers that were added since, and leave those out that were removed', async () => {
    type Body = NonNullable<Parameters<DashboardClient['call']>[1]>['body'];
    const change = async (body: Body) => {
      const { variables, otlp_headers } = await dashboard.call('PATCH /api/v1/settings', { body });
      return { variables: variables.map(({ name }) => name), headers: otlp_headers.map(({ name }) => name) };
    };
    const { variables: others } = await change({
      variables: [{ name: 'NEW', value: 'n' }],
      otlp_headers: [{ name: 'x-new', value: 'n' }],
      known: { variables: [], otlp_headers: [] },
    });

    const changed = await change({
      variables: [{ name: 'MINE', value: 'm' }, { name: 'GONE' }],
      otlp_headers: [{ name: 'x-mine', value: 'm' }, { name: 'x-gone' }],
      known: { variables: ['GONE'], otlp_headers: ['X-Gone'] },
    });

    expect(others).toContain('NEW');
    expect(changed).toEqual({ variables: ['MINE', ...others], headers: ['x-mine', 'x-new'] });
    const known = { variables: ['MINE', 'NEW'], otlp_headers: ['X-MINE', 'x-new'] };
    expect(await change({ variables: [], otlp_headers: [], known })).toEqual({
      variables: others.filter((name) => name !== 'NEW'),
      headers: [],
    });
  });

  it('lose nothing when several pages save at the same moment', async () => {
    const before = await dashboard.call('GET /api/v1/settings');
    const known = {
      variables: before.variables.map(({ name }) => name),
      otlp_headers: before.otlp_headers.map(({ name }) => name),
      allowed_hosts: before.allowed_hosts,
    };
    const pages = Array.from({ length: 12 }, (_, index) => index);
    await Promise.all(
      pages.map((index) =>
        dashboard.call('PATCH /api/v1/settings', {
          body: {
            variables: [...known.variables.map((name) => ({ name })), { name: `AT_ONCE_${index}`, value: 'v' }],
            otlp_headers: [...known.otlp_headers.map((name) => ({ name })), { name: `x-at-once-${index}`, value: 'v' }],
            allowed_hosts: [...known.allowed_hosts, `at-once-${index}.local`],
            known,
          },
        }),
      ),
    );
    const after = await dashboard.call('GET /api/v1/settings');

    expect(new Set(after.variables.map(({ name }) => name))).toEqual(
      new Set([...known.variables, ...pages.map((index) => `AT_ONCE_${index}`)]),
    );
    expect(after.otlp_headers).toHaveLength(known.otlp_headers.length + pages.length);
    expect(new Set(after.allowed_hosts)).toEqual(
      new Set([...known.allowed_hosts, ...pages.map((index) => `at-once-${index}.local`)]),
    );

    const stale = { ...known, allowed_hosts: [...after.allowed_hosts, 'gone.local'] };
    const [first = '', ...others] = after.allowed_hosts;
    const changed = await dashboard.call('PATCH /api/v1/settings', {
      body: { allowed_hosts: [...others, 'gone.local'], known: stale },
    });
    expect(changed.allowed_hosts).toEqual(others);
    expect(changed.allowed_hosts).not.toContain(first);
    await dashboard.call('PATCH /api/v1/settings', {
      body: {
        variables: known.variables.map((name) => ({ name })),
        otlp_headers: known.otlp_headers.map((name) => ({ name })),
        allowed_hosts: known.allowed_hosts,
      },
    });
  });

  it('tell which functions read which variables, and which ones they miss', async () => {
    await saveFunction(
      server.workspace,
      'github/actions/reads.ts',
      actionSource(`
        const variables = await nango.getEnvironmentVariables();
        const token = variables?.find((one) => one.name === 'TOKEN')?.value;
        const gone = variables?.find((one) => 'SENTRY_DSN' === one.name)?.value;
        return { token, gone };`),
    );
    const use = await waitFor(
      async () => {
        const found = await dashboard.call('GET /api/v1/settings/variable-use');
        return found.used.length > 0 && found;
      },
      { what: 'the function' },
    );

    const functions = [{ integrationKey: 'github', type: 'action', name: 'reads' }];
    expect(use).toEqual({ used: [{ name: 'TOKEN', functions }], missing: [{ name: 'SENTRY_DSN', functions }] });
  });
});

describe('the data of the hub', () => {
  it('is measured by table and compacted', async () => {
    const { disk, tables } = await dashboard.call('GET /api/v1/data');
    const { freedBytes } = await dashboard.call('POST /api/v1/data/compact');

    expect(tables.length).toBeGreaterThan(3);
    expect(tables.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(disk.database);
    expect(freedBytes).toBeGreaterThanOrEqual(0);
    expect((await dashboard.call('GET /api/v1/data')).disk.free).toBe(0);
    expect(await dashboard.call('POST /api/v1/data/verify', { body: {} })).toEqual({ problems: [] });
  });

  it('gives a report without secrets, addresses and names of people', async () => {
    const imported = await fetch(`${server.url}/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        provider_config_key: 'github',
        connection_id: 'canary-connection-id',
        credentials: { type: 'OAUTH2', access_token: SECRETS.credentials, no_expiration: true },
        end_user: { id: SECRETS.person, email: SECRETS.person },
        metadata: { note: SECRETS.person },
      }),
    });
    expect(imported.status).toBe(201);

    const report = await dashboard.call('GET /api/v1/diagnostics');
    const text = JSON.stringify(report);

    expect(report.parts.map(({ title }) => title).slice(0, 4)).toEqual(['Program', 'Health', 'Data', 'Environment 1']);
    expect(report.parts[3]?.content).toMatchObject({ integrations: 1, connections: { ok: 1 }, variables: 2 });
    for (const secret of [...Object.values(SECRETS), server.secretKey, server.home, 'canary', 'hub.example.com'])
      expect(text).not.toContain(secret);
  });
});
