import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

/** One for each kind of secret that the hub seals. */
const CANARIES = {
  credential: 'canary-api-key',
  clientSecret: 'canary-client-secret',
  variable: 'canary-variable-value',
  record: 'canary-record-field',
  webhook: 'canary-webhook-body',
  destination: 'canary-destination-path',
};

let home: TempHome;
let provider: FakeProvider;
let server: InProcessServer;
let dashboard: DashboardClient;

beforeAll(async () => {
  home = await createTempHome();
  provider = await FakeProvider.start();
  provider
    .on('GET /echo', ({ headers }) => ({ body: { sent: headers['authorization'] } }))
    .on('GET /items', { body: [{ id: 'one', field: CANARIES.record }] })
    .on('POST /hook', { body: {} });
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(join(workspace, 'providers.yaml'), providerEntries(provider.address));
  await saveFunction(
    workspace,
    'acme/actions/ask.ts',
    actionSource('return (await nango.getEnvironmentVariables())?.map(({ value }) => value);'),
  );
  await saveFunction(
    workspace,
    'acme/syncs/items.ts',
    syncSource(`const { data } = await nango.get({ endpoint: '/items' });
    await nango.batchSave(data, 'Item');`),
  );
  server = await startInProcess({ home: home.path, env: { HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64') } });
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
  await fill();
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await home?.remove();
});
afterEach(() => unlock());

const SCOPE = { 'provider-config-key': 'acme', 'connection-id': 'c1' };

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.secretKey}`,
      ...SCOPE,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const codeOf = ({ text }: { text: string }): string => JSON.parse(text).error.code;

async function fill(): Promise<void> {
  await api('POST', '/integrations', { provider: 'acme', unique_key: 'acme' });
  await api('POST', '/integrations', {
    provider: 'signing',
    unique_key: 'signing',
    credentials: { type: 'OAUTH2', client_id: 'client', client_secret: CANARIES.clientSecret },
  });
  await waitFor(async () => /"ask".*"items"|"items".*"ask"/s.test((await api('GET', '/scripts/config')).text), {
    what: 'both functions',
  });
  await api('POST', '/connections', {
    provider_config_key: 'acme',
    connection_id: 'c1',
    credentials: { type: 'API_KEY', apiKey: CANARIES.credential },
  });
  await api('PATCH', '/environment/settings', {
    variables: [{ name: 'TOKEN', value: CANARIES.variable }],
    webhook: { primary_url: `${provider.address}/hook?token=${CANARIES.destination}`, on_sync_completion_always: true },
  });
  await runSync();
  await sendWebhook();
  await api('POST', '/connections', {
    provider_config_key: 'signing',
    connection_id: 'renewing',
    credentials: { type: 'OAUTH2', access_token: 'first-token', refresh_token: 'first-refresh', expires_in: 3600 },
  });
}

function sendWebhook(): Promise<Response> {
  return fetch(`${server.url}/webhook/dev/acme`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: CANARIES.webhook }),
  });
}

async function runSync(): Promise<void> {
  const before = provider.requestsTo('/items').length;
  await api('POST', '/sync/trigger', { provider_config_key: 'acme', connection_id: 'c1', syncs: ['items'] });
  await waitFor(() => provider.requestsTo('/items').length > before, { what: 'a run of the sync' });
}

const lock = () => dashboard.call('POST /api/v1/vault/lock');
const unlock = () => dashboard.call('POST /api/v1/vault/unlock');
const connection = { integrationKey: 'acme', connectionId: 'c1' };

/** Every route that returns a secret, by the canary that it returns while the vault is open. */
const READS: Array<
  [secret: keyof typeof CANARIES, what: string, read: () => Promise<{ status: number; text: string }>]
> = [
  ['credential', 'a connection', () => api('GET', '/connections/c1?provider_config_key=acme')],
  ['credential', 'a credential', () => reveal({ kind: 'credential', ...connection, field: 'apiKey' })],
  ['clientSecret', 'an integration', () => api('GET', '/integrations/signing?include=credentials')],
  [
    'clientSecret',
    'a client secret',
    () => reveal({ kind: 'integration', integrationKey: 'signing', field: 'client_secret' }),
  ],
  ['variable', 'the variables', () => api('GET', '/environment-variables')],
  ['variable', 'the settings', () => api('GET', '/environment/settings')],
  ['variable', 'a variable', () => reveal({ kind: 'variable', name: 'TOKEN' })],
  ['variable', 'the output of an action', () => api('POST', '/action/trigger', { action_name: 'ask' })],
  ['record', 'the records', () => api('GET', '/records?model=Item')],
  [
    'record',
    'a table of records',
    () => page('GET /api/v1/connections/:integrationKey/:connectionId/records', { model: 'Item' }),
  ],
  [
    'record',
    'a search in records',
    () =>
      page('GET /api/v1/connections/:integrationKey/:connectionId/records', { model: 'Item', search: CANARIES.record }),
  ],
  ['webhook', 'a webhook', () => webhook('incoming')],
  ['destination', 'a delivery', () => webhook('outgoing')],
  ['credential', 'the proxy', () => api('GET', '/proxy/echo')],
];

async function page(
  key: Parameters<DashboardClient['send']>[0],
  query: Record<string, string> = {},
  params: Record<string, string> = connection,
): Promise<{ status: number; text: string }> {
  const response = await dashboard.send(key, { params, query });
  return { status: response.status, text: await response.text() };
}

async function reveal(body: object): Promise<{ status: number; text: string }> {
  const response = await dashboard.send('POST /api/v1/reveal', { body });
  return { status: response.status, text: await response.text() };
}

async function webhook(direction: 'incoming' | 'outgoing'): Promise<{ status: number; text: string }> {
  const { data } = await dashboard.call(`GET /api/v1/webhooks/${direction}`);
  return page(`GET /api/v1/webhooks/${direction}/:webhookId`, {}, { webhookId: data[0]?.id ?? '' });
}

describe('a hub with a locked vault', () => {
  it('gives no secret by any way that gave it a moment before', async () => {
    for (const [secret, what, read] of READS) {
      const text = await waitFor(async () => (await read()).text.includes(CANARIES[secret]) && what, { what });
      expect(text).toBe(what);
    }

    await lock();

    for (const [, what, read] of READS) {
      const response = await read();
      expect([what, response.status, codeOf(response)]).toEqual([what, 423, 'vault_locked']);
      for (const canary of Object.values(CANARIES)) expect(response.text).not.toContain(canary);
    }
    await unlock();
    for (const [secret, what, read] of READS)
      expect([what, (await read()).text]).toEqual([what, expect.stringContaining(CANARIES[secret])]);
  });

  it('lists what it holds by its names, and keeps the person signed in', async () => {
    await lock();

    expect((await dashboard.call('GET /api/v1/meta')).health.vault).toBe('locked');
    expect(await api('GET', '/connections')).toMatchObject({ status: 200, text: expect.stringContaining('c1') });
    expect(await api('GET', '/integrations')).toMatchObject({ status: 200, text: expect.stringContaining('signing') });
    expect(
      (await dashboard.call('GET /api/v1/connections')).data.map(({ connectionId }) => connectionId).sort(),
    ).toEqual(['c1', 'renewing']);
    const { data: integrations } = await dashboard.call('GET /api/v1/integrations');
    expect(integrations.map(({ key, missingFields }) => [key, missingFields])).toEqual([
      ['acme', []],
      ['signing', []],
    ]);
    const { data: deliveries } = await dashboard.call('GET /api/v1/webhooks/outgoing');
    expect(new Set(deliveries.map(({ url }) => url))).toEqual(new Set(['']));
    expect((await dashboard.call('GET /api/v1/webhooks/incoming')).data).toHaveLength(1);
    expect((await dashboard.call('GET /api/v1/environments/current')).variableCount).toBe(1);
    await dashboard.call('GET /api/v1/diagnostics');
    expect(
      await dashboard.refusal('GET /api/v1/integrations/:integrationKey', { params: { integrationKey: 'signing' } }),
    ).toEqual(LOCKED);
    expect(await dashboard.refusal('GET /api/v1/settings')).toEqual(LOCKED);
    expect(await dashboard.refusal('POST /api/v1/data/key', { body: { action: 'move', to: 'file' } })).toEqual(LOCKED);

    await unlock();
    expect((await dashboard.call('GET /api/v1/meta')).health.vault).toBe('unlocked');
    expect((await dashboard.call('GET /api/v1/settings')).variables).toHaveLength(1);
  });

  it('describes a connection without what is sealed, and takes changes that seal nothing', async () => {
    const before = await dashboard.call('GET /api/v1/connections/:integrationKey/:connectionId', {
      params: connection,
    });
    expect(before.credentials?.map(({ name }) => name)).toEqual(['apiKey']);
    await lock();

    const locked = await dashboard.call('GET /api/v1/connections/:integrationKey/:connectionId', {
      params: connection,
    });
    const renamed = await dashboard.call('PATCH /api/v1/connections/:integrationKey/:connectionId', {
      params: connection,
      body: { metadata: { plan: 'trial' } },
    });

    // The last use is stored a moment later.
    expect(locked).toEqual({ ...before, credentials: null, scopes: null, lastUsedAt: locked.lastUsedAt });
    expect(renamed).toMatchObject({ metadata: { plan: 'trial' }, credentials: null });
    await unlock();
    expect(
      await dashboard.call('GET /api/v1/connections/:integrationKey/:connectionId', { params: connection }),
    ).toMatchObject({ credentials: before.credentials, metadata: { plan: 'trial' } });
  });

  it('starts no run until it is unlocked, and loses none', async () => {
    await lock();
    const before = provider.requestsTo('/items').length;

    const triggered = await api('POST', '/sync/trigger', {
      provider_config_key: 'acme',
      connection_id: 'c1',
      syncs: ['items'],
    });
    const queued = await api('POST', '/action/trigger', { action_name: 'ask', input: {}, async: true });

    expect(triggered.status).toBe(200);
    expect([queued.status, (await dashboard.call('GET /api/v1/meta')).health.running]).toEqual([423, 0]);
    expect(provider.requestsTo('/items')).toHaveLength(before);
    await unlock();
    await waitFor(() => provider.requestsTo('/items').length > before, { what: 'the run that waited' });
    const { data } = await dashboard.call('GET /api/v1/overview/attention');
    expect(data).toEqual([]);
  });

  it('keeps what a provider renews while the vault is being locked', async () => {
    const asked = Promise.withResolvers<void>();
    const response = Promise.withResolvers<void>();
    provider.on('POST /token', async () => {
      asked.resolve();
      await response.promise;
      return { body: { access_token: 'renewed-token', refresh_token: 'renewed-refresh', expires_in: 3600 } };
    });
    const fetching = api('GET', '/connections/renewing?provider_config_key=signing&force_refresh=true');
    await asked.promise;
    await lock();
    response.resolve();

    expect(await fetching).toMatchObject({ status: 423 });

    await unlock();
    const text = await waitFor(
      async () => {
        const read = await api('GET', '/connections/renewing?provider_config_key=signing');
        return read.text.includes('renewed-token') && read.text;
      },
      { what: 'the renewed token' },
    );
    expect(JSON.parse(text)).toMatchObject({ errors: [] });
    expect(provider.requestsTo('/token')).toHaveLength(1);
  });

  it('asks providers to send their webhooks again', async () => {
    await lock();

    const refused = await sendWebhook();

    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'vault_locked' } });
    expect((await dashboard.call('GET /api/v1/webhooks/incoming')).data).toHaveLength(1);
  });

  it('says in the audit who locked and unlocked it, and does neither twice', async () => {
    await lock();
    await lock();
    await unlock();
    await unlock();

    const { data } = await dashboard.call('GET /api/v1/audit');
    expect(data.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['vault locked', 'vault unlocked']));
  });
});

const LOCKED = { status: 423, code: 'vault_locked' };

function providerEntries(address: string): string {
  return `acme:
  display_name: Acme
  auth_mode: API_KEY
  proxy:
    base_url: ${address}
    headers:
      authorization: Bearer \${apiKey}
  credentials:
    apiKey:
      type: string
      title: API key
      description: Any text.
      secret: true
signing:
  display_name: Signing
  auth_mode: OAUTH2
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy:
    base_url: ${address}
`;
}
