// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { type RedirectHub, startRedirectHub, strictEntry } from '../../contract/authorization/redirect-hub.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { officialClient, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { OidcAuthorizer } from '../../support/oidc-authorizer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApplicationPage, type ClientCall, type ClientOutcome, callClient } from './application-page.ts';

const CERTIFIED = { id: 'certified', secret: 'certified-secret', method: 'client_secret_post' } as const;

let hub: RedirectHub;
let application: ApplicationPage;
let certified: OidcAuthorizer;
let basic: FakeProvider;

beforeAll(async () => {
  certified = await OidcAuthorizer.start();
  basic = await FakeProvider.start();
  basic.on('GET /check', ({ headers }) => ({
    status: headers['authorization'] === `Basic ${Buffer.from('me:right').toString('base64')}` ? 200 : 401,
  }));
  hub = await startRedirectHub((address) => ({
    certified: strictEntry(certified.address, {
      authorization_url: `${certified.address}/auth`,
      token_url: `${certified.address}/token`,
    }),
    lacking: strictEntry(address, {
      authorization_url: `${address}/\${connectionConfig.tenant}`,
      connection_config: { tenant: { type: 'string', title: 'Tenant', description: 'Yours' } },
    }),
    basic: {
      display_name: 'Basic',
      auth_mode: 'BASIC',
      proxy: { base_url: basic.address, verification: { endpoints: ['/check'] } },
    },
    none: { display_name: 'None', auth_mode: 'NONE', proxy: { base_url: basic.address } },
  }));
  const port = new URL(hub.server.url).port;
  certified.serve({
    clients: [CERTIFIED],
    callbackUrl: `http://localhost:${port}/oauth/callback`,
    accessTokenSeconds: 3600,
  });
  await integrate({ provider: 'practice', unique_key: 'practice' });
  await integrate(oauthIntegration('practice-oauth2', 'practice-oauth2', PRACTICE_CLIENT));
  await integrate(oauthIntegration('practice-oauth2', 'wrong-secret', { id: PRACTICE_CLIENT.id, secret: 'wrong' }));
  await integrate(oauthIntegration('certified', 'real', CERTIFIED));
  application = await ApplicationPage.start();
});
afterAll(async () => {
  await application?.stop();
  await hub?.stop();
  await certified?.stop();
  await basic?.stop();
});

const oauthIntegration = (provider: string, unique_key: string, client: { id: string; secret: string }): object => ({
  provider,
  unique_key,
  credentials: {
    type: 'OAUTH2',
    client_id: client.id,
    client_secret: client.secret,
    scopes: provider === 'certified' ? 'openid' : 'issues:read',
  },
});

async function integrate(body: object): Promise<void> {
  const made = await hub.api.send('POST /integrations', { body });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
}

const hostOf = (name: string): string => `http://${name}:${new URL(hub.server.url).port}`;

async function call(page: Page, parts: Partial<ClientCall> & Pick<ClientCall, 'args'>): Promise<ClientOutcome> {
  const token = parts.token ?? (await hub.caller.newSession());
  return callClient(page, { method: 'auth', host: hostOf('127.0.0.1'), ...parts, token });
}

/** Calls the client, acts in the pop-up as the person does, and returns the client's result. */
async function withPopUp(
  page: Page,
  parts: Parameters<typeof call>[1],
  person: (popUp: Page) => Promise<unknown>,
): Promise<{ outcome: ClientOutcome; popUp: Page }> {
  const opening = page.waitForEvent('popup');
  const outcome = call(page, parts);
  const popUp = await opening;
  await person(popUp);
  return { outcome: await outcome, popUp };
}

const allow = (popUp: Page): Promise<void> => popUp.getByRole('button', { name: 'Allow' }).click();
const untilClosed = (popUp: Page): Promise<unknown> => waitFor(() => popUp.isClosed(), { what: 'the pop-up to close' });

describe.each(['localhost', '127.0.0.1'])('the official frontend client, the hub being %s', (name) => {
  it('connects by a pop-up, which closes', { tags: ['main-path'] }, async () => {
    const page = await application.open();

    const { outcome, popUp } = await withPopUp(page, { host: hostOf(name), args: ['practice-oauth2'] }, allow);

    expect(outcome).toEqual({
      made: { providerConfigKey: 'practice-oauth2', connectionId: expect.any(String), isPending: false },
    });
    await untilClosed(popUp);
    expect(await hub.connection('practice-oauth2', outcome.made?.connectionId)).toMatchObject({
      end_user: { id: 'u1' },
      credentials: { type: 'OAUTH2' },
      errors: [],
    });
  });

  it('connects at a certified server that answers with redirects alone', async () => {
    const { outcome, popUp } = await withPopUp(
      await application.open(),
      { host: hostOf(name), args: ['real'] },
      async () => {},
    );

    expect(outcome).toMatchObject({ made: { providerConfigKey: 'real' } });
    await untilClosed(popUp);
  });

  it('gets the error before the provider is reached', async () => {
    const host = hostOf(name);

    const { outcome, popUp } = await withPopUp(await application.open(), { host, args: ['nowhere'] }, async () => {});

    expect(outcome).toEqual({ type: 'provider_config_err', message: 'There is no integration "nowhere".' });
    await untilClosed(popUp);
  });
});

describe('a sign-in by pop-up', () => {
  it('renews a connection, which keeps its id and what is known of it', async () => {
    const page = await application.open();
    const { outcome: first } = await withPopUp(page, { args: ['practice-oauth2'] }, allow);
    const id = first.made?.connectionId ?? '';
    const nango = officialClient(hub.server);
    await nango.setMetadata('practice-oauth2', id, { color: 'blue' });
    const before = await hub.connection('practice-oauth2', id);
    const { data } = await nango.createReconnectSession({ connection_id: id, integration_id: 'practice-oauth2' });

    const { outcome } = await withPopUp(
      page,
      { method: 'reconnect', token: data.token, args: ['practice-oauth2'] },
      async (popUp) => {
        await popUp.getByRole('radio', { name: /Practice member/ }).check();
        await allow(popUp);
      },
    );

    expect(outcome.made).toMatchObject({ connectionId: id });
    const after = await hub.connection('practice-oauth2', id);
    expect(after).toMatchObject({ metadata: { color: 'blue' }, end_user: { id: 'u1' }, tags: before['tags'] });
    expect(after['credentials']).not.toEqual(before['credentials']);
  });

  it('may not renew another integration than the session says', async () => {
    const page = await application.open();
    const { outcome: first } = await withPopUp(page, { args: ['practice-oauth2'] }, allow);
    const { data } = await officialClient(hub.server).createReconnectSession({
      connection_id: first.made?.connectionId ?? '',
      integration_id: 'practice-oauth2',
    });

    const { outcome } = await withPopUp(
      page,
      { method: 'reconnect', token: data.token, args: ['real'] },
      async () => {},
    );

    expect(outcome).toMatchObject({ type: 'integration_not_allowed' });
  });

  it('ends with the provider’s words when the person says no', async () => {
    const { outcome } = await withPopUp(await application.open(), { args: ['practice-oauth2'] }, (popUp) =>
      popUp.getByRole('button', { name: 'Deny' }).click(),
    );

    expect(outcome).toEqual({ type: 'callback_err', message: expect.stringContaining('access_denied') });
  });

  it('ends with the provider’s words when the tokens are refused', async () => {
    const { outcome } = await withPopUp(await application.open(), { args: ['wrong-secret'] }, allow);

    expect(outcome).toEqual({ type: 'unknown_err', message: expect.stringContaining('invalid_client') });
  });

  it('ends when the person closes the pop-up', async () => {
    const { outcome } = await withPopUp(
      await application.open(),
      { args: ['practice-oauth2', { detectClosedAuthWindow: true }] },
      async (popUp) => {
        await popUp.getByRole('button', { name: 'Allow' }).waitFor();
        await popUp.close();
      },
    );

    expect(outcome).toMatchObject({ type: 'window_closed' });
  });

  const refused: ReadonlyArray<readonly [string, Partial<ClientCall> & { args: unknown[] }, string]> = [
    ['a value is missing', { args: ['lacking'] }, 'url_param_err'],
    ['the mode is another', { args: ['none'] }, 'auth_mode_err'],
    ['the key cannot be', { args: ['a<b>'] }, 'invalid_uri_params'],
    ['there is no key', { args: [''] }, 'no_provider_config_key'],
    [
      'the session is unknown',
      { args: ['real'], token: `nango_connect_session_${'0'.repeat(64)}` },
      'unknown_connect_session_token',
    ],
    ['the token is none', { args: ['real'], token: 'nonsense' }, 'invalid_connect_session_token_format'],
    ['the client chooses the id', { args: ['real', 'my-id'] }, 'invalid_query_params'],
  ];
  nightlyEach(
    refused.map((row) => [row[0], row] as const),
    3,
  )('does not hang when %s', async ([, parts, type]) => {
    const { outcome, popUp } = await withPopUp(await application.open(), parts, async () => {});

    expect(outcome).toMatchObject({ type, message: expect.stringMatching(/\w/) });
    await untilClosed(popUp);
  });
});

describe('a sign-in without a pop-up', () => {
  it.each<[string, ClientCall['method'], unknown[]]>([
    ['an API key', 'auth', ['practice', { credentials: { apiKey: PRACTICE_KEY } }]],
    ['a user and a password', 'auth', ['basic', { credentials: { username: 'me', password: 'right' } }]],
    ['nothing', 'create', ['none']],
  ])('connects by %s', async (_what, method, args) => {
    const outcome = await call(await application.open(), { method, args });

    expect(outcome).toEqual({ made: { providerConfigKey: args[0], connectionId: expect.any(String) } });
    expect(await hub.connection(String(args[0]), outcome.made?.connectionId)).toMatchObject({ end_user: { id: 'u1' } });
  });

  it.each<[string, ClientCall['method'], unknown[], string]>([
    ['a wrong key', 'auth', ['practice', { credentials: { apiKey: 'wrong' } }], 'connection_test_failed'],
    [
      'a wrong password',
      'auth',
      ['basic', { credentials: { username: 'me', password: 'x' } }],
      'connection_test_failed',
    ],
    ['credentials of another kind', 'auth', ['none', { credentials: { apiKey: 'x' } }], 'invalid_auth_mode'],
    ['no integration', 'create', ['nowhere'], 'unknown_provider_config'],
  ])('ends with %s', async (_what, method, args, type) => {
    expect(await call(await application.open(), { method, args })).toEqual({
      type,
      message: expect.stringMatching(/\w/),
    });
  });
});
