import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizePractice,
  exchangeCode,
  obtainCode,
  requestToken,
  type TokenResponse,
} from '../../../test/support/authorize-practice.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { createPracticeProvider, type PracticeProvider } from '../practice-provider.ts';
import { PRACTICE_CLIENT } from './practice-client.ts';

let clock: FakeClock;
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  clock = new FakeClock('2026-06-01T12:01:00Z');
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

async function refusalOf(sent: Promise<Response>): Promise<[status: number, error: string]> {
  const response = await sent;
  const body = (await response.json()) as { error: string; error_description: string };
  expect(body.error_description).toEqual(expect.any(String));
  return [response.status, body.error];
}

function api(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(address + path, { ...init, headers: { authorization: `Bearer ${token}` } });
}

const refresh = (token: string, more: Record<string, string> = {}): Promise<Response> =>
  requestToken(address, { grant_type: 'refresh_token', refresh_token: token, ...more });

async function refreshed(token: string): Promise<TokenResponse> {
  const response = await refresh(token);
  expect(response.status).toBe(200);
  return (await response.json()) as TokenResponse;
}

describe('the authorization code', () => {
  it('gives tokens, scopes and what the catalogue reads from the answer', async () => {
    const code = await obtainCode(address);
    const response = await exchangeCode(address, code);

    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^practice_at_[0-9a-f]{64}$/),
      refresh_token: expect.stringMatching(/^practice_rt_[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'issues:read directory:read',
      workspace_id: 'practice-workspace',
      user: { id: 'user-admin', name: 'Practice admin' },
    });
  });

  it('works once; a second use revokes what the first one gave', async () => {
    const code = await obtainCode(address);
    const tokens = (await (await exchangeCode(address, code)).json()) as TokenResponse;
    expect((await api('/v1/me', tokens.access_token)).status).toBe(200);

    expect(await refusalOf(exchangeCode(address, code))).toEqual([400, 'invalid_grant']);

    expect((await api('/v1/me', tokens.access_token)).status).toBe(401);
    expect(await refusalOf(refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it.each([
    ['a verifier of another challenge', { code_verifier: 'w'.repeat(48) }],
    ['no verifier', { code_verifier: undefined }],
    ['another redirect address', { redirect_uri: 'http://localhost:3004/oauth/callback' }],
  ])('is refused with %s, and used up', async (_name, changes) => {
    const code = await obtainCode(address);

    expect(await refusalOf(exchangeCode(address, code, changes))).toEqual([400, 'invalid_grant']);
    expect(await refusalOf(exchangeCode(address, code))).toEqual([400, 'invalid_grant']);
  });

  it('lasts a minute', async () => {
    const [early, late] = [await obtainCode(address), await obtainCode(address)];
    await clock.advance(59_999);
    expect((await exchangeCode(address, early)).status).toBe(200);
    await clock.advance(1);

    expect(await refusalOf(exchangeCode(address, late))).toEqual([400, 'invalid_grant']);
  });

  it('is missed when it or its redirect address is not sent, and not used up by that', async () => {
    const code = await obtainCode(address);

    expect(await refusalOf(exchangeCode(address, '', {}))).toEqual([400, 'invalid_request']);
    expect(await refusalOf(exchangeCode(address, code, { redirect_uri: undefined }))).toEqual([400, 'invalid_request']);
    expect(await refusalOf(exchangeCode(address, 'practice_code_0'))).toEqual([400, 'invalid_grant']);
    expect((await exchangeCode(address, code)).status).toBe(200);
  });
});

describe('the refresh token', () => {
  it('is exchanged for new tokens of the same consent', async () => {
    const first = await authorizePractice(address);
    const second = await refreshed(first.refresh_token);

    expect(second).toMatchObject({ scope: first.scope, expires_in: 300 });
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await api('/v1/users', second.access_token)).status).toBe(200);
  });

  it('works once; a second use revokes every token of the consent', async () => {
    const first = await authorizePractice(address);
    const second = await refreshed(first.refresh_token);

    expect(await refusalOf(refresh(first.refresh_token))).toEqual([400, 'invalid_grant']);

    expect(await refusalOf(refresh(second.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await api('/v1/me', second.access_token)).status).toBe(401);
    expect((await api('/v1/me', (await authorizePractice(address)).access_token)).status).toBe(200);
  });

  it('gives fewer scopes when asked to, never more', async () => {
    const { refresh_token } = await authorizePractice(address);

    expect(await refusalOf(refresh(refresh_token, { scope: 'issues:write' }))).toEqual([400, 'invalid_scope']);
    const fewer = (await (await refresh(refresh_token, { scope: 'issues:read' })).json()) as TokenResponse;

    expect(fewer.scope).toBe('issues:read');
    expect((await api('/v1/users', fewer.access_token)).status).toBe(403);
    expect(await refreshed(fewer.refresh_token)).toMatchObject({ scope: 'issues:read directory:read' });
  });

  it('is refused when it is unknown', async () => {
    expect(await refusalOf(refresh('practice_rt_0'))).toEqual([400, 'invalid_grant']);
  });
});

describe('client credentials', () => {
  const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const issue = (authorization: string | undefined, form: Record<string, string> = {}): Promise<Response> =>
    fetch(`${address}/oauth/token`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    });
  const { id, secret } = PRACTICE_CLIENT;

  it('give a token for the app itself, without a refresh token', async () => {
    const response = await issue(basic(id, secret), { scope: 'issues:read issues:write', practice_lifetime: '60' });
    const token = (await response.json()) as TokenResponse;

    expect(token).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 60,
      scope: 'issues:read issues:write',
      workspace_id: 'practice-workspace',
    });
    expect(await (await api('/oauth/userinfo', token.access_token)).json()).toEqual({
      id,
      name: PRACTICE_CLIENT.name,
      scopes: ['issues:read', 'issues:write'],
    });
  });

  it('grant reading issues when no scope is asked for', async () => {
    expect(await (await issue(basic(id, secret))).json()).toMatchObject({ scope: 'issues:read' });
  });

  it('may be form-encoded in the header, stand in the form, or in both', async () => {
    const encoded = basic(encodeURIComponent(id).replaceAll('-', '%2D'), secret);

    expect((await issue(encoded)).status).toBe(200);
    expect((await issue(undefined, { client_id: id, client_secret: secret })).status).toBe(200);
    expect((await issue(basic(id, secret), { client_id: id, client_secret: secret })).status).toBe(200);
  });

  it.each([
    ['none', undefined, {}],
    ['a wrong secret', basic(id, 'wrong'), {}],
    ['a secret with more behind it', basic(id, `${secret}&x`), {}],
    ['a wrong id', basic('wrong', secret), {}],
    ['no colon', `Basic ${Buffer.from(id).toString('base64')}`, {}],
    ['a wrong secret in the form', undefined, { client_id: id, client_secret: 'wrong' }],
    ['no secret in the form', undefined, { client_id: id }],
    ['two that differ', basic(id, secret), { client_id: id, client_secret: 'wrong' }],
  ])('are refused: %s', async (_name, authorization, form) => {
    const response = await issue(authorization, form as Record<string, string>);

    expect(response.headers.get('www-authenticate')).toBe('Basic realm="practice"');
    expect(await refusalOf(Promise.resolve(response))).toEqual([401, 'invalid_client']);
  });

  it('are refused with parameters that do not fit', async () => {
    const good = basic(id, secret);

    expect(await refusalOf(issue(good, { scope: 'everything' }))).toEqual([400, 'invalid_scope']);
    expect(await refusalOf(issue(good, { practice_lifetime: '-1' }))).toEqual([400, 'invalid_request']);
    expect(await refusalOf(issue(good, { practice_lifetime: '86401' }))).toEqual([400, 'invalid_request']);
    expect(await refusalOf(issue(good, { grant_type: 'password' }))).toEqual([400, 'unsupported_grant_type']);
    expect(await refusalOf(issue(good, { grant_type: '' }))).toEqual([400, 'invalid_request']);
  });
});

describe('POST /oauth/token', () => {
  it('takes forms only, and no parameter twice', async () => {
    const post = (body: string, type: string): Promise<Response> =>
      fetch(`${address}/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } });

    expect(await refusalOf(post('{"grant_type":"client_credentials"}', 'application/json'))).toEqual([
      400,
      'invalid_request',
    ]);
    const client = `client_id=${PRACTICE_CLIENT.id}&client_secret=${PRACTICE_CLIENT.secret}`;
    const twice = `${client}&grant_type=client_credentials&grant_type=client_credentials`;
    expect(await refusalOf(post(twice, 'application/x-www-form-urlencoded'))).toEqual([400, 'invalid_request']);
  });

  it('fails on demand', async () => {
    const response = await fetch(`${address}/oauth/token?practice_fail=503`, { method: 'POST' });

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});

describe('POST /oauth/revoke', () => {
  const revoke = (token: string, secret = PRACTICE_CLIENT.secret): Promise<Response> =>
    fetch(`${address}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: PRACTICE_CLIENT.id, client_secret: secret }),
    });

  it('ends one access token', async () => {
    const tokens = await authorizePractice(address);

    expect((await revoke(tokens.access_token)).status).toBe(200);

    const response = await api('/v1/me', tokens.access_token);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('ends the whole consent with its refresh token', async () => {
    const tokens = await authorizePractice(address);

    expect((await revoke(tokens.refresh_token)).status).toBe(200);

    expect((await api('/v1/me', tokens.access_token)).status).toBe(401);
    expect(await refusalOf(refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('takes an unknown token for one that is gone, but knows its client', async () => {
    const { access_token } = await authorizePractice(address);

    expect((await revoke('practice_at_0')).status).toBe(200);
    expect(await refusalOf(revoke(access_token, 'wrong'))).toEqual([401, 'invalid_client']);
    expect(await refusalOf(revoke(''))).toEqual([400, 'invalid_request']);
    expect((await api('/v1/me', access_token)).status).toBe(200);
  });
});
