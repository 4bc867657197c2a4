import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

let provider: FakeProvider;
let server: InProcessServer;
let api: ApiCaller;
let id: string;
/** Tokens that the provider has taken. */
const taken: string[] = [];
let failures = 0;

beforeAll(async () => {
  provider = await FakeProvider.start();
  provider.on('GET /me', ({ headers }) => {
    const token = String(headers['authorization']);
    const isNew = !taken.includes(token);
    taken.push(token);
    if (!isNew) return { status: 401, body: { error: 'used' } };
    if (failures > 0) {
      failures -= 1;
      return { status: 503, headers: { 'retry-after': '0' }, body: {} };
    }
    return { body: { ok: true } };
  });
  server = await startWithProviders(`
once:
  display_name: Once
  auth_mode: JWT
  signature: { protocol: HMAC, hmac_secret_encoding: utf8 }
  token:
    signing_key: "\${credentials.privateKey.secret}"
    expires_in_ms: 3600000
    singleUse: true
    header: { alg: HS256, typ: JWT, kid: "\${credentials.privateKey.id}" }
    payload: { aud: /admin/ }
  proxy:
    base_url: "${provider.address}"
    headers: { authorization: "Own \${accessToken}" }
    retry: { after: retry-after }
`);
  api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'once', unique_key: 'once' } });
  const session = await api.send('POST /connect/sessions', { body: { end_user: { id: 'u1' } } });
  const { token } = (session.body as { data: { token: string } }).data;
  const body = { privateKey: 'a:bcdef' };
  const made = await api.send(`POST /auth/jwt/once?connect_session_token=${token}`, {
    headers: { authorization: undefined },
    body,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  id = (made.body as { connectionId: string }).connectionId;
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});
beforeEach(() => {
  taken.length = 0;
});

const proxied = (more: Record<string, string> = {}) =>
  api.send('GET /proxy/me', { headers: { 'provider-config-key': 'once', 'connection-id': id, ...more } });

describe('a token that the provider takes once', () => {
  it('is another one for each call, also for calls at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => proxied()));
    answers.push(await proxied(), await proxied());

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(taken).size).toBe(14);
  });

  it('is another one for each reader of the connection', async () => {
    const read = () => api.send(`GET /connections/${id}?provider_config_key=once`);
    const answers = await Promise.all([read(), read(), read(), read(), read()]);

    const tokens = answers.map(({ body }) => (body as { credentials: { token: string } }).credentials.token);
    expect(new Set(tokens).size).toBe(5);
  });

  it('is another one for each attempt', async () => {
    failures = 2;
    const { status } = await proxied({ retries: '3' });

    expect([status, taken.length, new Set(taken).size]).toEqual([200, 3, 3]);
  });
});
