import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

const FIELD = '{ type: string, title: Subdomain, description: Of your account, pattern: "^[a-z0-9-]+$" }';
const CLIENT = { client_id: 'id', client_secret: 'secret' };

let provider: FakeProvider;
let server: InProcessServer;
let api: ApiCaller;

beforeAll(async () => {
  provider = await FakeProvider.start();
  const { address } = provider;
  server = await startWithProviders(`
hosted-cc:
  display_name: Hosted client credentials
  auth_mode: OAUTH2_CC
  token_url: ${address}/\${connectionConfig.subdomain}/token
  token_response_metadata: [subdomain]
  connection_config: { subdomain: ${FIELD} }
  proxy: { base_url: "${address}/\${connectionConfig.subdomain}" }
hosted-oauth2:
  display_name: Hosted OAuth 2
  auth_mode: OAUTH2
  authorization_url: ${address}/\${connectionConfig.subdomain}/authorize
  token_url: ${address}/\${connectionConfig.subdomain}/token
  redirect_uri_metadata: [subdomain]
  token_response_metadata: [subdomain]
  connection_config: { subdomain: ${FIELD} }
  proxy: { base_url: "${address}/\${connectionConfig.subdomain}" }
`);
  api = new ApiCaller(server);
  const custom = { subdomain: 'acme' };
  for (const body of [
    { provider: 'hosted-cc', unique_key: 'hosted-cc', custom },
    { provider: 'hosted-oauth2', unique_key: 'hosted-oauth2', custom, credentials: { type: 'OAUTH2', ...CLIENT } },
  ])
    expect((await api.send('POST /integrations', { body })).status).toBe(200);
  const answer = { access_token: 'token', expires_in: 3600, subdomain: 'other' };
  for (const name of ['acme', 'moved']) provider.on(`POST /${name}/token`, { body: answer });
  provider.on('GET /acme/me', { body: { ok: true } });
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
});

async function openSession(parts: object = {}): Promise<string> {
  const { body } = await api.send('POST /connect/sessions', { body: { end_user: { id: 'u1' }, ...parts } });
  return (body as { data: { token: string } }).data.token;
}

async function openReconnect(key: string, connectionId: string, parts: object = {}): Promise<string> {
  const body = { integration_id: key, connection_id: connectionId, ...parts };
  const answer = await api.send('POST /connect/sessions/reconnect', { body });
  expect(answer.status).toBe(201);
  return (answer.body as { data: { token: string } }).data.token;
}

/** Submits client credentials as a browser does, with the query of a person who would like another host. */
async function submit(token: string, query = ''): Promise<string> {
  const path = `/oauth2/auth/hosted-cc?connect_session_token=${token}${query}`;
  const { status, body } = await api.send(`POST ${path}`, { headers: { authorization: undefined }, body: CLIENT });
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { connectionId: string }).connectionId;
}

/** Follows a sign-in to its end; the provider's callback has the query. */
async function signIn(token: string, query = '', callbackQuery = ''): Promise<URL> {
  const start = await fetch(`${server.url}/oauth/connect/hosted-oauth2?connect_session_token=${token}${query}`, {
    redirect: 'manual',
  });
  const address = new URL(start.headers.get('location') ?? '');
  const state = address.searchParams.get('state');
  const end = await fetch(`${server.url}/oauth/callback?code=c&state=${state}${callbackQuery}`);
  expect(end.status, await end.text()).toBe(200);
  return address;
}

const configOf = async (key: string, id: string): Promise<Record<string, unknown>> => {
  const { body } = await api.send(`GET /connections/${id}?provider_config_key=${key}`);
  return (body as { connection_config: Record<string, unknown> }).connection_config;
};

async function newestOf(key: string): Promise<string> {
  const { body } = await api.send(`GET /connections?integrationId=${key}`);
  return (body as { connections: Array<{ connection_id: string }> }).connections[0]?.connection_id ?? '';
}

const OTHER = '&params[subdomain]=evil';
const ofSession = (key: string) => ({
  integrations_config_defaults: { [key]: { connection_config: { subdomain: 'evil' } } },
});
const pathsOf = () => provider.requests.map(({ url }) => url);

describe('a field of the connection that the integration presets', () => {
  it.each([
    ['nothing', '', {}],
    ['another value of the browser', OTHER, {}],
    ['an empty value of the browser', '&params[subdomain]=', {}],
    ['another value of the session', '', ofSession('hosted-cc')],
    ['both', OTHER, ofSession('hosted-cc')],
  ])(
    'is used with entered credentials, given %s, and is kept when the provider answers another',
    async (_name, query, parts) => {
      const id = await submit(await openSession(parts), query);

      expect(pathsOf()).toEqual(['/acme/token']);
      expect(await configOf('hosted-cc', id)).toMatchObject({ subdomain: 'acme' });
      const headers = { 'provider-config-key': 'hosted-cc', 'connection-id': id };
      expect(await api.send('GET /proxy/me', { headers })).toMatchObject({ status: 200, body: { ok: true } });
    },
  );

  it.each([
    ['nothing', '', '', {}],
    ['another value of the browser', OTHER, '', {}],
    ['another value of the callback', '', '&subdomain=evil', {}],
    ['another value of the session', '', '', ofSession('hosted-oauth2')],
  ])('is used by a sign-in, given %s', async (_name, query, callbackQuery, parts) => {
    const address = await signIn(await openSession(parts), query, callbackQuery);

    expect(address.pathname).toBe('/acme/authorize');
    expect(pathsOf()).toEqual(['/acme/token']);
    expect(await configOf('hosted-oauth2', await newestOf('hosted-oauth2'))).toMatchObject({ subdomain: 'acme' });
  });

  it('is used by a reconnection, also after its value has changed', async () => {
    const id = await submit(await openSession());
    await signIn(await openSession());
    const signedIn = await newestOf('hosted-oauth2');
    provider.requests.length = 0;

    const change = async (subdomain: string) => {
      for (const key of ['hosted-cc', 'hosted-oauth2'])
        expect((await api.send(`PATCH /integrations/${key}`, { body: { custom: { subdomain } } })).status).toBe(200);
    };
    await change('moved');
    try {
      expect(await submit(await openReconnect('hosted-cc', id, ofSession('hosted-cc')), OTHER)).toBe(id);
      const token = await openReconnect('hosted-oauth2', signedIn, ofSession('hosted-oauth2'));
      expect((await signIn(token, OTHER, '&subdomain=evil')).pathname).toBe('/moved/authorize');

      expect(pathsOf()).toEqual(['/moved/token', '/moved/token']);
      expect(await configOf('hosted-cc', id)).toMatchObject({ subdomain: 'moved' });
      expect(await configOf('hosted-oauth2', signedIn)).toMatchObject({ subdomain: 'moved' });
    } finally {
      await change('acme');
    }
  });

  it('is asked for again after its value was cleared', async () => {
    const clear = await api.send('PATCH /integrations/hosted-cc', { body: { custom: { subdomain: '' } } });
    expect([clear.status, clear.body]).toMatchObject([200, { data: {} }]);
    try {
      expect(clear.body).not.toHaveProperty('data.preconfigured_connection_config');
      provider.on('POST /own/token', { body: { access_token: 'token', expires_in: 3600 } });
      const id = await submit(await openSession(), '&params[subdomain]=own');
      expect(await configOf('hosted-cc', id)).toMatchObject({ subdomain: 'own' });
    } finally {
      await api.send('PATCH /integrations/hosted-cc', { body: { custom: { subdomain: 'acme' } } });
    }
  });
});
