import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { OidcAuthorizer, type OidcClient } from '../../support/oidc-authorizer.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { startWithProviders } from '../http/workspace-providers.ts';

const CLIENTS: Record<'posted' | 'basic', OidcClient> = {
  posted: { id: 'posted', secret: 'a-secret-in-the-body', method: 'client_secret_post' },
  // Characters that form encoding changes: RFC 6749 requires the encoding inside the header, too.
  basic: { id: 'basic client', secret: 's:e+c&r/e%t=', method: 'client_secret_basic' },
};
/** Shorter than the provider's refresh buffer: every read of the connection refreshes it. */
const TOKEN_SECONDS = 20;

let authorizer: OidcAuthorizer;
let server: InProcessServer;
let api: ApiCaller;
let caller: AuthorizationCaller;

beforeAll(async () => {
  authorizer = await OidcAuthorizer.start();
  const { address } = authorizer;
  const entry = {
    display_name: 'Certified',
    auth_mode: 'OAUTH2',
    authorization_url: `${address}/auth`,
    token_url: `${address}/token`,
    token_expiration_buffer: TOKEN_SECONDS + 10,
    proxy: { base_url: address },
  };
  server = await startWithProviders(
    JSON.stringify({ posted: entry, basic: { ...entry, authorization_method: 'header' } }),
  );
  authorizer.serve({
    clients: Object.values(CLIENTS),
    callbackUrl: `http://localhost:${new URL(server.url).port}/oauth/callback`,
    accessTokenSeconds: TOKEN_SECONDS,
  });
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
  for (const [key, { id, secret }] of Object.entries(CLIENTS)) {
    const credentials = { type: 'OAUTH2', client_id: id, client_secret: secret, scopes: 'openid' };
    expect(
      (await api.send('POST /integrations', { body: { provider: key, unique_key: key, credentials } })).status,
    ).toBe(200);
  }
});
afterAll(async () => {
  await server?.stop();
  await authorizer?.stop();
});

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_at: string;
}

async function signIn(key: string): Promise<string> {
  const page = await caller.openPage();
  const location = await caller.startAt(key, { token: await caller.newSession(), page });
  const response = await fetch(await authorizer.agree(location));
  const message = await page.next();
  page.close();
  expect({ status: response.status, message }).toMatchObject({ status: 200, message: { message_type: 'success' } });
  return String(message['connection_id']);
}

const read = (key: string, id: string) =>
  api.send(`GET /connections/${id}?provider_config_key=${key}&refresh_token=true&force_refresh=false`);

async function readTokens(key: string, id: string): Promise<Tokens> {
  const { body, status } = await read(key, id);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { credentials: Tokens }).credentials;
}

describe.each(Object.keys(CLIENTS))('a certified authorization server (client: %s)', (key) => {
  it('gives tokens, and new ones whenever the old are due', async () => {
    const id = await signIn(key);

    const first = await readTokens(key, id);
    const second = await readTokens(key, id);

    expect(second.access_token).not.toBe(first.access_token);
    // Rotated: if the first had not been stored, the second refresh would have failed.
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(Date.parse(second.expires_at)).toBeLessThanOrEqual(Date.now() + TOKEN_SECONDS * 1000);
    const who = await fetch(`${authorizer.address}/me`, {
      headers: { authorization: `Bearer ${second.access_token}` },
    });
    expect(await who.json()).toEqual({ sub: 'person' });
  });

  it('is never shown one refresh token twice, however many read at the same time', async () => {
    const id = await signIn(key);
    await readTokens(key, id);

    const responses = await Promise.all(Array.from({ length: 8 }, () => read(key, id)));

    // A second use of one refresh token would have revoked all of them.
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await read(key, id)).status).toBe(200);
  });

  it('ends the connection when an old refresh token is used again', async () => {
    const id = await signIn(key);
    const old = await readTokens(key, id);
    await readTokens(key, id);
    const { id: clientId, secret } = CLIENTS[key as keyof typeof CLIENTS];
    const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
    const form = { grant_type: 'refresh_token', refresh_token: old.refresh_token };

    const thief = await fetch(`${authorizer.address}/token`, {
      method: 'POST',
      ...(key === 'posted'
        ? { body: new URLSearchParams({ ...form, client_id: clientId, client_secret: secret }) }
        : {
            body: new URLSearchParams(form),
            headers: {
              authorization: `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`,
            },
          }),
    });

    expect(await thief.json()).toMatchObject({ error: 'invalid_grant' });
    const { body, status } = await read(key, id);
    expect({ body, status }).toMatchObject({ status: 400, body: { error: { code: 'invalid_credentials' } } });
    expect(JSON.stringify(body)).not.toContain(old.refresh_token);
  });
});

describe('a sign-in that the certified server refuses', () => {
  it('for a code that was used already says so', async () => {
    const page = await caller.openPage();
    const location = await caller.startAt('posted', { token: await caller.newSession(), page });
    const callback = await authorizer.agree(location);
    const spent = callback.searchParams.get('code') ?? '';
    expect((await fetch(callback)).status).toBe(200);
    await page.next();
    page.close();
    const again = await caller.openPage();
    const other = await authorizer.agree(
      await caller.startAt('posted', { token: await caller.newSession(), page: again }),
    );
    other.searchParams.set('code', spent);

    expect((await fetch(other)).status).toBe(400);

    expect(await again.next()).toMatchObject({
      message_type: 'error',
      error_type: 'unknown_err',
      error_desc: expect.stringContaining('invalid_grant'),
    });
    again.close();
  });
});
