import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { FakeProvider, type ScriptedResponse } from '../../support/fake-provider.ts';
import { HeldTimers } from '../../support/held-timers.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';

/** A wait that no other part of the hub has. */
const INTERVAL_S = 7;
const CODE = {
  device_code: 'the-secret-of-the-device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://acme.test/device',
  expires_in: 600,
  interval: INTERVAL_S,
};
const TOKENS = { access_token: 'T1', refresh_token: 'R1', expires_in: 3600, team: { id: 'team-7' } };
const PENDING = { status: 400, body: { error: 'authorization_pending' } };

/** 7 s, 5 s more for each `slow_down`, doubled after silence. */
const POLLS: readonly number[] = [7000, 12_000, 14_000, 17_000, 28_000];
const timers = new HeldTimers((delayMs) => POLLS.includes(delayMs));

let provider: FakeProvider;
let receiver: WebhookReceiver;
let server: InProcessServer;
let caller: AuthorizationCaller;
let api: ApiCaller;

beforeAll(async () => {
  provider = await FakeProvider.start();
  receiver = await WebhookReceiver.start();
  const entry = {
    display_name: 'Acme',
    auth_mode: 'OAUTH2',
    device_authorization_url: `${provider.address}/device`,
    token_url: `${provider.address}/token`,
    token_response_metadata: ['team.id'],
    proxy: { base_url: provider.address },
  };
  const audience = { device_authorization_params: { audience: '${connectionConfig.audience}' } };
  const fields = { connection_config: { audience: { type: 'string', title: 'Audience' } } };
  server = await startWithProviders(
    JSON.stringify({
      acme: entry,
      tenant: { ...entry, ...audience, ...fields },
      plain: { ...entry, device_authorization_url: undefined, authorization_url: `${provider.address}/authorize` },
    }),
    { HOMEPORT_WEBHOOK_URL: receiver.address() },
    { clock: timers },
  );
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
  for (const key of ['acme', 'tenant', 'plain']) {
    const credentials = { type: 'OAUTH2', client_id: 'client-1', client_secret: 'secret-1', scopes: 'read,write' };
    const { status } = await api.send('POST /integrations', { body: { provider: key, unique_key: key, credentials } });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
  await provider?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
  timers.waits.length = 0;
  provider.on('POST /device', { body: CODE }).on('POST /token', PENDING);
});
/** Sign-ins that a test has begun: the token of the session, and the integration. */
const begun = new Map<string, string>();
afterEach(async () => {
  for (const [token, key] of begun) await call('DELETE', token, { key });
  begun.clear();
});

type Shown = Record<string, unknown> & { status: string; error?: { code: string; message: string } };

async function call(
  method: string,
  token: string,
  { key = 'acme', body, query = '' }: { key?: string; body?: object; query?: string } = {},
) {
  if (method === 'POST') begun.set(token, key);
  const response = await fetch(`${server.url}/oauth/device/${key}?connect_session_token=${token}${query}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Shown };
}

async function begin(key = 'acme', query = ''): Promise<string> {
  const token = await caller.newSession();
  const { body, status } = await call('POST', token, { key, body: {}, query });
  expect({ body, status }).toMatchObject({ status: 200, body: { status: 'pending' } });
  return token;
}

/** The next question to the provider gets this answer; resolves once it was asked and the hub has settled. */
async function ask(response: ScriptedResponse): Promise<void> {
  const before = provider.requestsTo('/token').length;
  provider.on('POST /token', response);
  await waitFor(() => timers.held > 0 || undefined);
  timers.run();
  await waitFor(() => provider.requestsTo('/token').length > before || undefined);
}

const state = async (token: string): Promise<Shown> => (await call('GET', token)).body;

async function ended(token: string): Promise<Shown> {
  return waitFor(async () => {
    const body = await state(token);
    return body.status === 'pending' ? undefined : body;
  });
}

const formOf = (at: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(provider.requestsTo(at).at(-1)?.body.toString()));

describe('the code', () => {
  it('is asked for with client and scopes, and the page gets all but the secret of the device', async () => {
    const token = await caller.newSession();

    const { body, text } = await call('POST', token, { body: {} });

    expect(formOf('/device')).toEqual({ client_id: 'client-1', client_secret: 'secret-1', scope: 'read write' });
    expect(body).toEqual({
      status: 'pending',
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://acme.test/device',
      expires_at: expect.any(String),
    });
    expect(text).not.toContain(CODE.device_code);
  });

  it('takes parameters of the entry with what the person entered', async () => {
    await begin('tenant', '&params[audience]=https://api.acme.test');

    expect(formOf('/device')).toMatchObject({ audience: 'https://api.acme.test' });
  });

  it('is read from a form, and under the names of a draft', async () => {
    const { verification_uri: verification_url, ...rest } = CODE;
    const body = new URLSearchParams({ ...rest, expires_in: '600', interval: '7', verification_url }).toString();
    provider.on('POST /device', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });

    const token = await begin();

    expect(await state(token)).toMatchObject({ user_code: 'WDJB-MJHT', verification_uri: 'https://acme.test/device' });
  });

  it.each<[what: string, response: ScriptedResponse, said: RegExp]>([
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' }, /without a code/],
    ['nothing to enter', { body: { ...CODE, user_code: undefined } }, /without a code/],
    ['an address that is none', { body: { ...CODE, verification_uri: 'javascript:alert(1)' } }, /without a code/],
    ['a code with commands for a terminal', { body: { ...CODE, user_code: 'A\u001b[2JB' } }, /without a code/],
    [
      'a refusal',
      { status: 401, body: { error: 'invalid_client', error_description: 'No such client.' } },
      /no code for the sign-in \(status 401\): invalid_client, No such client/,
    ],
  ])('is refused with what to know when the provider sends %s', async (_what, response, said) => {
    provider.on('POST /device', response);
    const token = await caller.newSession();

    const { body, status } = await call('POST', token, { body: {} });

    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'device_authorization_failed', message: expect.stringMatching(said) });
  });

  it('is not offered where the entry names no address for it', async () => {
    const { body, status } = await call('POST', await caller.newSession(), { key: 'plain', body: {} });

    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'invalid_auth_mode' });
  });

  it('stays the same when the page is loaded again, and is another one on demand', async () => {
    const token = await begin();
    expect((await call('POST', token, { body: {} })).body['user_code']).toBe('WDJB-MJHT');
    expect(provider.requestsTo('/device')).toHaveLength(1);
    provider.on('POST /device', { body: { ...CODE, user_code: 'SECOND', device_code: 'second-secret' } });

    expect((await call('POST', token, { body: { new: true } })).body['user_code']).toBe('SECOND');

    expect((await state(token))['user_code']).toBe('SECOND');
    await ask(PENDING);
    expect(formOf('/token')).toMatchObject({ device_code: 'second-secret' });
  });
});

describe('asking for the tokens', () => {
  it('waits as long as the provider says, and 5 s longer after every slow_down', async () => {
    const token = await begin();

    await ask(PENDING);
    await ask({ status: 400, body: { error: 'slow_down' } });
    await ask(PENDING);
    await ask({ status: 400, body: { error: 'slow_down' } });
    await ask({ body: TOKENS });

    expect((await ended(token)).status).toBe('connected');
    expect(timers.waits).toEqual([7000, 7000, 12_000, 12_000, 17_000]);
    expect(formOf('/token')).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: CODE.device_code,
      client_id: 'client-1',
      client_secret: 'secret-1',
    });
  });

  it('asks less often a provider that does not answer, or answers that it cannot', async () => {
    const token = await begin();

    await ask({ drop: true });
    await ask({ status: 503, body: 'Try later' });
    await ask({ body: TOKENS });

    expect((await ended(token)).status).toBe('connected');
    expect(timers.waits).toEqual([7000, 14_000, 28_000]);
  });

  it.each<[what: string, response: ScriptedResponse]>([
    ['as RFC 8628 says', { status: 400, body: { error: 'authorization_pending' } }],
    ['with the status of a success', { status: 200, body: { error: 'authorization_pending' } }],
    ['with another status', { status: 428, body: { error: 'authorization_pending' } }],
    ['as a message', { status: 400, body: { status: 400, message: 'authorization_pending' } }],
    [
      'as a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'error=authorization_pending' },
    ],
  ])('goes on when the provider says so %s', async (_how, response) => {
    const token = await begin();

    await ask(response);
    await ask({ body: TOKENS });

    expect((await ended(token)).status).toBe('connected');
  });

  it('makes a connection like every other: configuration, tags, webhook, log', async () => {
    const token = await begin();
    await ask({ body: TOKENS });

    const { connectionId } = await ended(token);

    expect(
      await api.send(`GET /connections/${String(connectionId)}?provider_config_key=acme&refresh_token=true`),
    ).toMatchObject({
      status: 200,
      body: {
        connection_config: { 'team.id': 'team-7' },
        end_user: { id: 'u1' },
        tags: { end_user_id: 'u1' },
        credentials: { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1' },
      },
    });
    const [webhook] = await receiver.webhooks(1, (one) => one.connectionId === connectionId);
    expect(webhook).toMatchObject({ type: 'auth', operation: 'creation', success: true, providerConfigKey: 'acme' });
  });

  it('renews the connection of a session that is for one', async () => {
    const first = await begin();
    await ask({ body: TOKENS });
    const { connectionId } = await ended(first);
    const token = await caller.newSession(
      { connection_id: connectionId, integration_id: 'acme' },
      '/connect/sessions/reconnect',
    );
    await call('POST', token, { body: {} });

    await ask({ body: { ...TOKENS, access_token: 'T2' } });

    expect(await ended(token)).toMatchObject({ status: 'connected', connectionId });
    const { body } = await api.send(`GET /connections/${String(connectionId)}?provider_config_key=acme`);
    expect(body).toMatchObject({ credentials: { access_token: 'T2' } });
  });

  it.each<[what: string, response: ScriptedResponse, shown: object]>([
    [
      'a refusal of the person',
      { status: 400, body: { error: 'access_denied' } },
      { status: 'denied', error: { code: 'access_denied' } },
    ],
    [
      'an expired code',
      { status: 400, body: { error: 'expired_token' } },
      { status: 'expired', error: { code: 'expired_token' } },
    ],
    [
      'another refusal',
      { status: 400, body: { error: 'invalid_client', error_description: 'Wrong secret.' } },
      { status: 'failed', error: { code: 'token_exchange_failed', message: expect.stringContaining('Wrong secret') } },
    ],
    [
      'a page',
      { headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' },
      { status: 'failed', error: { code: 'token_exchange_failed' } },
    ],
    ['no token', { body: { ok: true } }, { status: 'failed', error: { code: 'unable_to_parse_token_response' } }],
  ])('ends with %s', async (_what, response, shown) => {
    const token = await begin();
    await ask(response);

    expect(await ended(token)).toMatchObject(shown);

    expect(timers.held).toBe(0);
    expect((await call('POST', token, { body: {} })).body.status).toBe('pending');
  });

  it('notifies the app of a sign-in that was refused', async () => {
    receiver.server.requests.length = 0;
    const token = await begin();
    await ask({ status: 400, body: { error: 'access_denied' } });
    await ended(token);

    const failures = await receiver.webhooks(
      1,
      ({ success, error }) => success === false && error?.type === 'invalid_callback',
    );
    expect(failures.at(-1)).toMatchObject({ operation: 'creation', error: { type: 'invalid_callback' } });
  });
});

describe('a sign-in that nobody waits for', () => {
  it('is over when the code has expired', async () => {
    const token = await begin();
    await ask(PENDING);
    timers.skip(601_000);
    const asked = provider.requestsTo('/token').length;
    await waitFor(() => timers.held > 0 || undefined);
    timers.run();

    expect(await ended(token)).toMatchObject({ status: 'expired' });
    expect(provider.requestsTo('/token')).toHaveLength(asked);
  });

  it('is not asked about any more once it was cancelled', async () => {
    const token = await begin();

    expect((await call('DELETE', token)).status).toBe(204);

    expect(timers.held).toBe(0);
    expect(await state(token)).toEqual({ status: 'none' });
  });

  it('ends with the session', async () => {
    const token = await begin();
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/connect/session`, { method: 'DELETE', headers })).status).toBe(204);

    timers.run();
    await waitFor(() => timers.held === 0 || undefined);

    expect(provider.requestsTo('/token')).toHaveLength(0);
    expect((await call('GET', token)).status).toBe(401);
  });

  it('rests while no page asks, and goes on when one asks again', async () => {
    const token = await begin();
    timers.skip(200_000);
    timers.run();
    await waitFor(() => timers.held === 0 || undefined);
    expect(provider.requestsTo('/token')).toHaveLength(0);

    expect((await state(token))['user_code']).toBe('WDJB-MJHT');
    await ask({ body: TOKENS });

    expect((await ended(token)).status).toBe('connected');
  });

  it('goes on after a restart of the hub, as slowly as before', async () => {
    const token = await begin();
    await ask({ status: 400, body: { error: 'slow_down' } });
    await waitFor(() => timers.waits.length === 2 || undefined);
    await server.restart();
    timers.run();

    expect((await state(token))['user_code']).toBe('WDJB-MJHT');
    await ask({ body: TOKENS });

    expect((await ended(token)).status).toBe('connected');
    expect(timers.waits).toEqual([7000, 12_000, 12_000]);
  });
});
