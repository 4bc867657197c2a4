import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import {
  answerConsent,
  authorizePractice,
  authorizeUrl,
  CALLBACK,
  requestToken,
} from '../../support/authorize-practice.ts';
import { readTokenPair, type Signing, sendSigned } from '../../support/practice-oauth1-client.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

const APP = { client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
const HOUR_MS = 3_600_000;

let server: InProcessServer;
let api: ApiCaller;
/** The address of the practice provider, from the catalogue. */
let address: string;

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  const { body } = await api.send('GET /providers/practice-oauth2');
  address = (body as { data: { proxy: { base_url: string } } }).data.proxy.base_url;
});
afterAll(() => server?.stop());

/** An integration and an imported connection of one practice provider. */
async function connect(provider: string, app: object | undefined, credentials: object): Promise<void> {
  const integration = { provider, unique_key: provider, ...(app ? { credentials: app } : {}) };
  expect(await api.send('POST /integrations', { body: integration })).toMatchObject({ status: 200 });
  const body = { provider_config_key: provider, connection_id: 'me', credentials };
  expect(await api.send('POST /connections', { body })).toMatchObject({ status: 201 });
}

const call = (route: string, provider: string, body?: object): ReturnType<ApiCaller['send']> =>
  api.send(route, {
    headers: { 'provider-config-key': provider, 'connection-id': 'me' },
    ...(body ? { body } : {}),
  });

/** The three legs of OAuth 1.0a with a client of the test's own. */
async function signInWithOAuth1(): Promise<{ oauth_token: string; oauth_token_secret: string }> {
  const post = async (path: string, signing: Signing): ReturnType<typeof readTokenPair> =>
    readTokenPair(await sendSigned(address + path, Date.now(), signing));
  const request = await post('/oauth1/request_token', { extra: { oauth_callback: CALLBACK } });
  const scope = encodeURIComponent('issues:read issues:write');
  const back = await answerConsent(`${address}/oauth1/authorize?oauth_token=${request.key}&scope=${scope}`);
  const verifier = back.searchParams.get('oauth_verifier') ?? '';
  const { key, secret } = await post('/oauth1/access_token', { token: request, extra: { oauth_verifier: verifier } });
  return { oauth_token: key, oauth_token_secret: secret };
}

describe('the practice providers of the catalogue', () => {
  it('carry OAuth 2 tokens through the proxy, and their scopes', async () => {
    const { access_token, refresh_token } = await authorizePractice(address, { scope: 'issues:read' });
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
    const credentials = { type: 'OAUTH2', access_token, refresh_token, expires_at };
    await connect('practice-oauth2', { type: 'OAUTH2', ...APP }, credentials);

    const me = await call('GET /proxy/v1/me', 'practice-oauth2');
    expect(me).toMatchObject({ status: 200, body: { id: 'user-admin', scopes: ['issues:read'] } });
    const users = await call('GET /proxy/v1/users', 'practice-oauth2');
    expect(users).toMatchObject({ status: 403, body: { error: { missing_scope: 'directory:read' } } });
  });

  it('accept the signatures that the hub makes for OAuth 1.0a', async () => {
    const token = await signInWithOAuth1();
    await connect('practice-oauth1', { type: 'OAUTH1', ...APP }, { type: 'OAUTH1', ...token });

    const issues = await call('GET /proxy/v1/issues?limit=2&state=open', 'practice-oauth1');
    expect(issues).toMatchObject({ status: 200, body: { issues: { length: 2 } } });
    const created = await call('POST /proxy/v1/issues', 'practice-oauth1', { title: 'Signed' });
    expect(created).toMatchObject({ status: 201, body: { title: 'Signed', author_id: 'user-admin' } });
  });

  it('carry tokens of client credentials through the proxy', async () => {
    const response = await requestToken(address, { grant_type: 'client_credentials' });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const credentials = {
      type: 'OAUTH2_CC',
      token,
      ...APP,
      expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
    };
    await connect('practice-client-credentials', undefined, credentials);

    const me = await call('GET /proxy/v1/me', 'practice-client-credentials');
    expect(me).toMatchObject({ status: 200, body: { id: APP.client_id } });
  });

  it('send people back to the addresses that the hub goes by elsewhere', async () => {
    const own = 'https://hub.example.test/oauth/callback';
    const redirector = `https://redirect.example.test/${CALLBACK}`;
    const pageFor = async (redirect_uri: string): Promise<number> =>
      (await fetch(authorizeUrl(address, { redirect_uri }))).status;
    expect([await pageFor(own), await pageFor(redirector)]).toEqual([400, 400]);

    const body = { public_url: 'https://hub.example.test', callback_url: redirector };
    expect(await api.send('PATCH /environment/settings', { body })).toMatchObject({ status: 200 });

    expect([await pageFor(own), await pageFor(redirector)]).toEqual([200, 200]);
    expect(await pageFor(`${own}/x`)).toBe(400);
  });
});
