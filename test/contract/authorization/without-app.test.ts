import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { type OidcServer, startOidcServer } from '../../support/oidc-server.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

const PUBLIC = 'https://hub.example.com';

let oidc: OidcServer;
let server: InProcessServer;
let api: ApiCaller;
let caller: AuthorizationCaller;

beforeAll(async () => {
  oidc = await startOidcServer();
  const entry = {
    display_name: 'Certified',
    auth_mode: 'OAUTH2',
    authorization_url: `${oidc.address}/auth`,
    token_url: `${oidc.address}/token`,
    default_scopes: ['openid', 'offline_access'],
    authorization_params: { prompt: 'consent' },
    proxy: { base_url: oidc.address },
  };
  const providers = {
    plain: entry,
    // The provider says that the header names clients with a secret, and switches PKCE off for them.
    public: { ...entry, public_client: true, authorization_method: 'header', disable_pkce: true },
    registering: { ...entry, registration_url: `${oidc.address}/reg` },
    document: { ...entry, client_registration: 'cimd' },
  };
  server = await startWithProviders(JSON.stringify(providers));
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
});
afterAll(async () => {
  await server?.stop();
  await oidc?.stop();
});

const callback = (): string => `http://localhost:${new URL(server.url).port}/oauth/callback`;

async function addIntegration(provider: string, client?: object): Promise<void> {
  const credentials = client && { type: 'OAUTH2', ...client };
  const body = { provider, unique_key: provider, ...(credentials ? { credentials } : {}) };
  expect(await api.send('POST /integrations', { body })).toMatchObject({ status: 200 });
}

/** Signs in on the provider's page; the tokens are due at once for a forced renewal. */
async function signIn(key: string): Promise<{ asked: URLSearchParams; connection: Record<string, unknown> }> {
  const page = await caller.openPage();
  const location = await caller.startAt(key, { token: await caller.newSession(), page });
  const answer = await fetch(await oidc.authorize(location));
  const message = await page.next();
  page.close();
  expect({ status: answer.status, message }).toMatchObject({ status: 200, message: { message_type: 'success' } });
  const path = `/connections/${String(message['connection_id'])}?provider_config_key=${key}&refresh_token=true`;
  const { body } = await api.send(`GET ${path}`);
  return { asked: new URL(location).searchParams, connection: body as Record<string, unknown> };
}

async function renew(key: string, connection: Record<string, unknown>): Promise<unknown> {
  const path = `/connections/${String(connection['connection_id'])}?provider_config_key=${key}&force_refresh=true`;
  const { body, status } = await api.send(`GET ${path}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { credentials: { access_token: string } }).credentials.access_token;
}

const tokenOf = ({ credentials }: Record<string, unknown>): unknown =>
  (credentials as Record<string, unknown>)['access_token'];

describe('a client without a secret', () => {
  it('signs in with PKCE and a redirect to this computer, and is renewed', async () => {
    const registered = await fetch(`${oidc.address}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [callback()],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    await addIntegration('public', { client_id });

    const { asked, connection } = await signIn('public');

    expect(Object.fromEntries(asked)).toMatchObject({
      client_id,
      code_challenge_method: 'S256',
      redirect_uri: callback(),
    });
    expect(await renew('public', connection)).not.toBe(tokenOf(connection));
  });

  it('is refused where the provider is not known to accept one', async () => {
    const credentials = { type: 'OAUTH2', client_id: 'x' };
    const { body, status } = await api.send('POST /integrations', {
      body: { provider: 'plain', unique_key: 'plain', credentials },
    });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: 'invalid_body', errors: [{ path: ['credentials', 'client_secret'] }] },
    });
  });
});

describe('a provider that registers its clients', () => {
  it('needs no app: the integration has no credentials', async () => {
    await addIntegration('registering');
    expect(oidc.asked.filter((one) => one === 'POST /reg').length).toBeGreaterThan(0);

    const { connection } = await signIn('registering');

    expect(await renew('registering', connection)).not.toBe(tokenOf(connection));
  });
});

describe('a provider that reads a document about its clients', () => {
  it('says what it needs without a public address', async () => {
    await addIntegration('document');
    const response = await caller.start('document', { token: await caller.newSession() });

    expect(await response.json()).toMatchObject({
      error: { code: 'provider_config_err', message: expect.stringContaining('HOMEPORT_PUBLIC_URL') },
    });
  });

  it('gets its address as the client, and the document at the public address', async () => {
    await api.send('PATCH /environment/settings', { body: { public_url: PUBLIC } });
    const location = new URL(await caller.startAt('document', { token: await caller.newSession() }));
    const id = String(location.searchParams.get('client_id'));
    expect(id).toMatch(new RegExp(`^${PUBLIC}/oauth/clients/[0-9a-f-]{36}$`));

    const { body, status } = await api.send(`GET ${new URL(id).pathname}`, {
      headers: { host: 'hub.example.com', authorization: undefined },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      client_id: id,
      client_name: 'Homeport',
      redirect_uris: [location.searchParams.get('redirect_uri')],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    await api.send('PATCH /environment/settings', { body: { public_url: null } });
    expect((await api.send('GET /oauth/clients/nobody')).status).toBe(404);
  });

  it('takes the address of a document that a person published', async () => {
    const client_id = 'https://me.example.com/client.json';
    const credentials = { type: 'OAUTH2', client_id };
    expect((await api.send('PATCH /integrations/document', { body: { credentials } })).status).toBe(200);

    const location = new URL(await caller.startAt('document', { token: await caller.newSession() }));

    expect(location.searchParams.get('client_id')).toBe(client_id);
  });
});

describe('the ways to connect', () => {
  it.each([
    ['plain', ['own_app'], false],
    ['public', ['public_client', 'own_app'], false],
    ['registering', ['dynamic_registration'], true],
    ['document', ['client_metadata_document'], false],
    ['practice', ['key'], true],
  ])('of %s', async (provider, ways, worksWithoutApp) => {
    const { body } = await api.send(`GET /providers/${provider}`);

    expect(body).toMatchObject({ data: { ways_in: ways, works_without_app: worksWithoutApp } });
  });
});
