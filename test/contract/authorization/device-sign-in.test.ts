import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { DEVICE_CLIENTS, DeviceAuthorizer } from '../../support/device-authorizer.ts';
import { lookInto } from '../../support/look-into.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

let authorizer: DeviceAuthorizer;
let server: InProcessServer;
let api: ApiCaller;
let caller: AuthorizationCaller;

beforeAll(async () => {
  authorizer = await DeviceAuthorizer.start();
  const providers = {
    public: authorizer.entry(),
    confidential: authorizer.entry({ authorization_method: 'header' }),
    registered: authorizer.entry({
      registration_url: `${authorizer.address}/reg`,
      default_scopes: ['openid', 'offline_access'],
      authorization_url: `${authorizer.address}/auth`,
    }),
    redirect: authorizer.entry({
      authorization_url: `${authorizer.address}/auth`,
      device_authorization_url: undefined,
    }),
  };
  server = await startWithProviders(JSON.stringify(providers));
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
  const { id, secret } = DEVICE_CLIENTS.confidential;
  const clients: Record<string, object | undefined> = {
    public: { type: 'OAUTH2', client_id: DEVICE_CLIENTS.public, scopes: 'openid,offline_access' },
    confidential: { type: 'OAUTH2', client_id: id, client_secret: secret, scopes: 'openid,offline_access' },
    registered: undefined,
    redirect: { type: 'OAUTH2', client_id: id, client_secret: secret },
  };
  for (const [key, credentials] of Object.entries(clients)) {
    const body = { provider: key, unique_key: key, ...(credentials ? { credentials } : {}) };
    expect((await api.send('POST /integrations', { body })).status, key).toBe(200);
  }
});
afterAll(async () => {
  await server?.stop();
  await authorizer?.stop();
});

interface SignIn {
  status: string;
  user_code?: string;
  verification_uri?: string;
  verification_uri_complete?: string;
  expires_at?: string;
  connectionId?: string;
  error?: { code: string; message: string };
}

async function call(
  method: string,
  key: string,
  token: string,
  body?: object,
): Promise<{ status: number; body: SignIn }> {
  const response = await fetch(`${server.url}/oauth/device/${key}?connect_session_token=${token}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? { status: '' } : (JSON.parse(text) as SignIn) };
}

async function begin(key: string, session: object = {}): Promise<{ token: string; signIn: SignIn }> {
  const token = await caller.newSession(session);
  const { body, status } = await call('POST', key, token, {});
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'pending' } });
  return { token, signIn: body };
}

async function ended(key: string, token: string): Promise<SignIn> {
  return waitFor(async () => {
    const { body } = await call('GET', key, token);
    return body.status === 'pending' ? undefined : body;
  });
}

/** Whether the database has tokens that came while the vault was locked. */
function hasIssued(): Promise<unknown> {
  return lookInto(server.home, ({ reader }) => reader.get("SELECT 1 FROM oauth_states WHERE content LIKE 'box:%'"));
}

describe.each(['public', 'confidential', 'registered'])('a sign-in with a code (client: %s)', (key) => {
  it('ends with a connection once the person has entered the code', async () => {
    const { signIn, token } = await begin(key, { tags: { team: 'blue' } });

    expect(signIn).toEqual({
      status: 'pending',
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${authorizer.address}/device`,
      verification_uri_complete: `${authorizer.address}/device?user_code=${signIn.user_code}`,
      expires_at: expect.any(String),
    });
    await authorizer.enterCode(String(signIn.verification_uri_complete));
    const { connectionId, ...rest } = await ended(key, token);

    expect(rest).toEqual({ status: 'connected', providerConfigKey: key });
    const path = `GET /connections/${connectionId}?provider_config_key=${key}&refresh_token=true`;
    const first = await api.send(path);
    // The access token lasts shorter than the buffer of the entry, so every read renews it.
    const second = await api.send(path);
    expect(first).toMatchObject({ status: 200, body: { tags: { team: 'blue' }, credentials: { type: 'OAUTH2' } } });
    expect(second.status).toBe(200);
    const tokensOf = ({ body }: typeof first) => (body as { credentials: Record<string, string> }).credentials;
    expect(tokensOf(second)['access_token']).not.toBe(tokensOf(first)['access_token']);
  });
});

describe('a vault that is locked when the tokens of a sign-in with a code come', () => {
  it('keeps them, and the connection is there after it was unlocked', async () => {
    const dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
    const { signIn, token } = await begin('public');
    const gate = Promise.withResolvers<void>();
    authorizer.tokenGate = gate.promise;
    const asked = authorizer.asked.length;
    await authorizer.enterCode(String(signIn.verification_uri_complete));
    await waitFor(() => authorizer.asked.slice(asked).includes('POST /token'), { what: 'the question for the tokens' });
    await dashboard.call('POST /api/v1/vault/lock');
    authorizer.tokenGate = undefined;
    gate.resolve();
    await waitFor(hasIssued, { what: 'the tokens in the database' });

    await dashboard.call('POST /api/v1/vault/unlock');
    expect(await ended('public', token)).toMatchObject({ status: 'connected' });
  });
});
