import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode } from './workspace-providers.ts';

/** Characters that addresses, forms, JSON and base64 encode differently. */
const ODD = '!\'()*~ +/&=?#%"<>{}ü';
const CANARIES = {
  key: `canary-key-8f2a${ODD}`,
  tenant: `canary-tenant-51c9`,
  accessToken: 'canary-access-77d1.ab_c',
  refreshToken: 'canary-refresh-0e4b',
  clientSecret: 'canary-client-secret-93aa',
  username: 'canary-user-4410',
  password: `canary-password-d2f8${ODD}`,
  oauthSecret: 'canary-oauth-secret-6b6b',
  override: 'canary-override-secret-1d1d',
  practice: 'practice-canary-a1b2',
  signingSecret: 'canary-webhook-secret-77',
};

let home: TempHome;
let server: StartedServer;
let api: ApiCaller;
let provider: FakeProvider;

beforeAll(async () => {
  home = await createTempHome();
  provider = await FakeProvider.start();
  const workspace = join(home.path, 'functions');
  await saveFunction(workspace, 'own-keyed-query/actions/leak.ts', actionSource(LEAKING_ACTION));
  await saveFunction(workspace, 'own-keyed-query/syncs/leak.ts', syncSource(LEAKING_SYNC));
  await saveFunction(workspace, 'providers.yaml', providersOfEveryMode(provider.address));
  server = await startServer({
    home: home.path,
    env: {
      HOMEPORT_LOGGER_LEVEL: 'debug',
      HOMEPORT_PROGRAM_LOG: 'debug',
      // It fails, so that the webhook about the leaking sync is still queued at the end.
      HOMEPORT_WEBHOOK_URL: `${provider.address}/webhooks`,
    },
  });
  api = new ApiCaller(server);
});
afterAll(async () => {
  // Already stopped, unless the test failed before.
  await server?.kill();
  await provider?.stop();
  await home?.remove();
});

/** Uses the secrets as careless functions do. */
const LEAKING_ACTION = `
    const connection = await nango.getConnection();
    await nango.log('connection', connection, { level: 'info' });
    await nango.log('key ' + connection.credentials.apiKey);
    await nango.get({ endpoint: '/echo/' + encodeURIComponent(connection.credentials.apiKey) + '?key2=' + encodeURIComponent(connection.credentials.apiKey) }).catch(() => {});
    await nango.post({ endpoint: '/fail', data: { key: connection.credentials.apiKey }, headers: { 'x-copy': encodeURIComponent(connection.credentials.apiKey) } }).catch(() => {});
    throw new nango.ActionError({ message: 'failed with ' + connection.credentials.apiKey, config: connection.connection_config });
`;

const LEAKING_SYNC = `
    const { credentials } = await nango.getConnection();
    throw new nango.ActionError({ message: 'failed with ' + credentials.apiKey, again: credentials.apiKey });
`;

async function setUp(key: string, integration: object, connection: object): Promise<void> {
  const made = await api.send('POST /integrations', { body: { provider: key, unique_key: key, ...integration } });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const imported = await importConnection(server, { provider_config_key: key, connection_id: 'c', ...connection });
  expect(imported.status).toBe(201);
}

/** Every way into the log: responses, errors, redirects, broken connections, secrets that the caller writes itself. */
async function use(key: string, secret: string): Promise<void> {
  const headers = { 'provider-config-key': key, 'connection-id': 'c' };
  const written = encodeURIComponent(secret);
  const routes = [
    'GET /proxy/ok',
    'POST /proxy/fail',
    'GET /proxy/drop',
    'GET /proxy/away',
    `GET /proxy/echo/${written}`,
    `GET /proxy/ok?token=${written}&x=${written}`,
    `POST /proxy/missing/${written}`,
  ];
  for (const route of routes) {
    await api.send(route, {
      headers: { ...headers, 'nango-proxy-x-mine': written, 'nango-proxy-authorization': `Bearer ${written}` },
      ...(route.startsWith('POST') ? { body: { secret } } : {}),
    });
  }
  await api.send('GET /proxy/ok', { headers: { ...headers, 'base-url-override': `http://10.0.0.1/${written}` } });
  await api.send(`GET /connections/c?provider_config_key=${key}&refresh_token=true&force_refresh=true`);
}

describe('canary secrets', () => {
  it('lie in no file of the data folder and in no output, in clear or in disguise', async () => {
    provider.on('POST /webhooks', { status: 500 });
    for (const method of ['GET', 'POST']) {
      provider
        .on(`${method} /ok`, (request) => ({
          headers: { 'x-echo': String(request.headers['authorization'] ?? 'none') },
          body: { url: request.url },
        }))
        .on(`${method} /fail`, (request) => ({
          status: 400,
          body: { headers: request.headers, body: request.body.toString() },
        }))
        .on(`${method} /drop`, { drop: true })
        .on(`${method} /away`, {
          status: 302,
          headers: { location: `http://10.0.0.1/?k=${encodeURIComponent(CANARIES.key)}` },
        });
    }
    const {
      accessToken,
      clientSecret,
      key,
      oauthSecret,
      override,
      password,
      practice,
      refreshToken,
      signingSecret,
      tenant,
      username,
    } = CANARIES;
    const client = { client_id: 'client', client_secret: clientSecret, webhook_secret: signingSecret };
    await setUp(
      'own-keyed-query',
      {},
      { credentials: { type: 'API_KEY', apiKey: key }, connection_config: { tenant_secret: tenant } },
    );
    await setUp('own-basic', {}, { credentials: { type: 'BASIC', username, password } });
    await setUp(
      'own-oauth1',
      { credentials: { type: 'OAUTH1', ...client } },
      { credentials: { type: 'OAUTH1', oauth_token: 'plain', oauth_token_secret: oauthSecret } },
    );
    await setUp(
      'own-oauth2',
      { credentials: { type: 'OAUTH2', ...client } },
      {
        credentials: {
          type: 'OAUTH2',
          access_token: accessToken,
          refresh_token: refreshToken,
          expires_in: 3600,
          config_override: { client_id: 'x', client_secret: override },
        },
      },
    );
    await setUp('practice', {}, { credentials: { type: 'API_KEY', apiKey: practice } });

    await use('own-keyed-query', key);
    await use('own-keyed-query', tenant);
    await use('own-basic', password);
    await use('own-basic', username);
    await use('own-oauth1', oauthSecret);
    await use('own-oauth2', accessToken);
    await use('own-oauth2', refreshToken);
    await use('own-oauth2', override);
    await use('own-oauth2', clientSecret);
    await use('practice', practice);
    await api.refusal('POST /connections', {
      body: { provider_config_key: 'own-key-none', credentials: { type: 'API_KEY', apiKey: key } },
    });
    await importConnection(server, { provider_config_key: 'practice', credentials: { type: 'API_KEY', apiKey: key } });
    await api.send('POST /integrations', {
      body: `{"secret": ${key}`,
      headers: { 'content-type': 'application/json' },
    });
    await api.send(`GET /nowhere/${encodeURIComponent(key)}`, {
      headers: { authorization: `Bearer ${key.slice(0, 15)}` },
    });
    const trigger = {
      body: { action_name: 'leak', input: {} },
      headers: { 'provider-config-key': 'own-keyed-query', 'connection-id': 'c' },
    };
    const outcome = await waitFor(
      async () => {
        const response = await api.send('POST /action/trigger', trigger);
        return response.status === 404 ? undefined : response;
      },
      { what: 'the deployed action' },
    );
    expect(outcome.body).toMatchObject({ error_type: 'action_script_failure' });
    const sync = { provider_config_key: 'own-keyed-query', connection_id: 'c', syncs: ['leak'] };
    // Its file may become live later than the one of the action.
    await waitFor(async () => (await api.send('POST /sync/trigger', { body: sync })).status === 200, {
      what: 'the deployed sync',
    });
    const webhook = await waitFor(() => {
      const received = provider.requestsTo('/webhooks').map(({ body }) => JSON.parse(body.toString()));
      return received.find(({ type }) => type === 'sync');
    });
    expect(webhook.error.payload.again).toBe(key);
    await server.stop();

    expect(await findSecrets(home.path, CANARIES, { stderr: server.errorOutput() })).toEqual([]);
  });
});
