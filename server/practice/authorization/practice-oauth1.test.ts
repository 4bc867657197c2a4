import type OAuth from 'oauth-1.0a';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerConsent } from '../../../test/support/authorize-practice.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { readTokenPair, type Signing, sendSigned } from '../../../test/support/practice-oauth1-client.ts';
import { createPracticeProvider, type PracticeProvider } from '../practice-provider.ts';

const CALLBACK = 'http://localhost:3003/oauth/callback?state=s%201';
const PLAINTEXT = { method: 'PLAINTEXT' };
let clock: FakeClock;
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  clock = new FakeClock('2026-06-01T12:01:00Z');
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

const send = (path: string, signing?: Signing): Promise<Response> => sendSigned(address + path, clock.now(), signing);

async function refusalOf(body: Promise<Response>): Promise<[status: number, code: string]> {
  const response = await body;
  const { error } = (await response.json()) as { error: { code: string } };
  expect(response.headers.get('www-authenticate')).toBe(response.status === 401 ? 'OAuth realm="practice"' : null);
  return [response.status, error.code];
}

const requestToken = async (more: Signing = {}): ReturnType<typeof readTokenPair> =>
  readTokenPair(await send('/oauth1/request_token', { extra: { oauth_callback: CALLBACK }, ...more }));

const pageOf = (token: OAuth.Token, query = ''): string =>
  `${address}/oauth1/authorize?oauth_token=${token.key}${query}`;

async function allowed(query = ''): Promise<{ token: OAuth.Token; verifier: string }> {
  const token = await requestToken();
  const target = await answerConsent(pageOf(token, query), { person: 'user-member' });
  return { token, verifier: target.searchParams.get('oauth_verifier') ?? '' };
}

async function accessToken(query = ''): ReturnType<typeof readTokenPair> {
  const { token, verifier } = await allowed(query);
  return readTokenPair(await send('/oauth1/access_token', { token, extra: { oauth_verifier: verifier } }));
}

describe('the request token', () => {
  it.each(['HMAC-SHA1', 'PLAINTEXT'])(
    'is given to a client that signs with %s, its callback confirmed',
    async (method) => {
      const token = await requestToken({ method });

      expect(token).toMatchObject({
        key: expect.stringMatching(/^practice_o1_[0-9a-f]{64}$/),
        secret: expect.stringMatching(/^practice_o1_[0-9a-f]{64}$/),
        rest: { oauth_callback_confirmed: 'true' },
      });
    },
  );

  it.each<[string, number, Signing]>([
    ['signature_invalid', 401, { secret: 'wrong' }],
    ['signature_invalid', 401, { secret: 'wrong', method: 'PLAINTEXT' }],
    ['signature_invalid', 401, { tamper: (header) => header.replace('state%3Ds', 'state%3Dt') }],
    [
      'signature_invalid',
      401,
      { form: { a: '1' }, tamper: (header) => header.replace(/oauth_nonce="[^"]+/, 'oauth_nonce="other') },
    ],
    ['consumer_key_unknown', 401, { oauth: { oauth_consumer_key: 'somebody' } }],
    ['parameter_absent', 400, { oauth: { oauth_consumer_key: '' } }],
    ['parameter_absent', 400, { oauth: { oauth_nonce: '' } }],
    ['parameter_absent', 400, { oauth: { oauth_timestamp: '' } }],
    ['parameter_absent', 400, { oauth: { oauth_timestamp: '' }, ...PLAINTEXT }],
    ['parameter_absent', 400, { tamper: () => 'OAuth realm="x"' }],
    ['parameter_absent', 400, { extra: {} }],
    ['parameter_rejected', 400, { extra: { oauth_callback: 'oob' } }],
    ['parameter_rejected', 400, { extra: { oauth_callback: 'http://localhost:3003/elsewhere' } }],
    ['parameter_rejected', 400, { tamper: (header) => `${header}, oauth_nonce="again"` }],
    ['parameter_rejected', 400, { tamper: () => 'OAuth oauth_nonce="%zz"' }],
    ['signature_method_rejected', 400, { oauth: { oauth_signature_method: 'RSA-SHA1' } }],
    ['signature_method_rejected', 400, { oauth: { oauth_signature_method: 'toString' } }],
    ['version_rejected', 400, { oauth: { oauth_version: '2.0' } }],
  ])('is refused with %s (%i): %j', async (code, status, signing) => {
    const extra = { oauth_callback: CALLBACK };

    expect(await refusalOf(send('/oauth1/request_token', { extra, ...signing }))).toEqual([status, code]);
  });

  it('needs neither nonce nor timestamp in PLAINTEXT, and no version', async () => {
    await requestToken({ ...PLAINTEXT, oauth: { oauth_nonce: '', oauth_timestamp: '', oauth_version: '' } });
  });

  it('is refused for a nonce that was used, also with PLAINTEXT', async () => {
    const again = { extra: { oauth_callback: CALLBACK }, oauth: { oauth_nonce: 'same' } };
    await requestToken(again);

    expect(await refusalOf(send('/oauth1/request_token', again))).toEqual([401, 'nonce_used']);
    expect(await refusalOf(send('/oauth1/request_token', { ...again, ...PLAINTEXT }))).toEqual([401, 'nonce_used']);
    await clock.advance(1000);
    await requestToken(again);
  });

  it('is not refused because a stranger used its nonce with a bad signature', async () => {
    const oauth = { oauth_nonce: 'same' };
    await refusalOf(send('/oauth1/request_token', { extra: { oauth_callback: CALLBACK }, oauth, secret: 'wrong' }));

    await requestToken({ oauth });
  });

  it.each([-301, 301, 'soon', '1e3'])('is refused for the timestamp %s', async (stamp) => {
    const timestamp = typeof stamp === 'number' ? String(clock.now() / 1000 + stamp) : stamp;
    const signing = { extra: { oauth_callback: CALLBACK }, oauth: { oauth_timestamp: timestamp } };

    expect(await refusalOf(send('/oauth1/request_token', signing))).toEqual([401, 'timestamp_refused']);
  });

  it('accepts clocks that are a little wrong', async () => {
    for (const offset of [-300, 300])
      await requestToken({ oauth: { oauth_timestamp: String(clock.now() / 1000 + offset) } });
  });
});

describe('GET /oauth1/authorize', () => {
  it('sends the person back with the token, a verifier and the query of the callback', async () => {
    const token = await requestToken();
    const target = await answerConsent(pageOf(token));

    expect(`${target.origin}${target.pathname}`).toBe('http://localhost:3003/oauth/callback');
    expect(Object.fromEntries(target.searchParams)).toEqual({
      state: 's 1',
      oauth_token: token.key,
      oauth_verifier: expect.stringMatching(/_[0-9a-f]{64}$/),
    });
  });

  it('sends a no back, after which the token is worth nothing', async () => {
    const token = await requestToken();
    const target = await answerConsent(pageOf(token), { decision: 'deny' });

    expect(Object.fromEntries(target.searchParams)).toMatchObject({ state: 's 1', error: 'access_denied' });
    const exchange = send('/oauth1/access_token', { token, extra: { oauth_verifier: 'x' } });
    expect(await refusalOf(exchange)).toEqual([401, 'token_rejected']);
  });

  it('answers tokens it does not know, or no longer, with a page', async () => {
    const token = await requestToken();
    expect((await fetch(pageOf({ key: 'other', secret: '' }))).status).toBe(400);
    await clock.advance(600_000);

    const late = await fetch(pageOf(token));

    expect(late.status).toBe(400);
    expect(await late.text()).toContain('This authorization cannot be continued');
  });

  it('answers an unknown scope with a page that names it', async () => {
    const page = await fetch(pageOf(await requestToken(), '&scope=issues:read+everything'));

    expect(page.status).toBe(400);
    expect(await page.text()).toContain('<code>everything</code>');
  });
});

describe('the access token', () => {
  it('is given for the verifier, with the person behind it', async () => {
    expect(await accessToken()).toMatchObject({
      key: expect.stringMatching(/^practice_o1_/),
      secret: expect.stringMatching(/^practice_o1_/),
      rest: { user_id: 'user-member', screen_name: 'member', workspace_id: 'practice-workspace' },
    });
  });

  it('takes the verifier from a form, signed as well', async () => {
    const { token, verifier } = await allowed();

    await readTokenPair(await send('/oauth1/access_token', { token, form: { oauth_verifier: verifier } }));
  });

  it('is given once', async () => {
    const { token, verifier } = await allowed();
    const exchange = (): Promise<Response> =>
      send('/oauth1/access_token', { token, extra: { oauth_verifier: verifier } });
    await readTokenPair(await exchange());

    expect(await refusalOf(exchange())).toEqual([401, 'token_rejected']);
  });

  it('needs the verifier, the consent, and the secret of the request token', async () => {
    const { token, verifier } = await allowed();
    const exchange = (signing: Signing): Promise<[number, string]> =>
      refusalOf(send('/oauth1/access_token', { token, ...signing }));

    expect(await exchange({})).toEqual([400, 'parameter_absent']);
    expect(await exchange({ extra: { oauth_verifier: 'guess' } })).toEqual([401, 'verifier_invalid']);
    const forged = { key: token.key, secret: 'guess' };
    expect(await exchange({ token: forged, extra: { oauth_verifier: verifier } })).toEqual([401, 'signature_invalid']);
    const unasked = { token: await requestToken(), extra: { oauth_verifier: verifier } };
    expect(await exchange(unasked)).toEqual([401, 'verifier_invalid']);
  });
});

describe('the API with OAuth 1.0a', () => {
  it.each(['HMAC-SHA1', 'PLAINTEXT'])('accepts a request signed with %s', async (method) => {
    const token = await accessToken();

    const response = await send('/v1/me', { token, method, verb: 'GET' });

    expect(await response.json()).toMatchObject({ id: 'user-member', scopes: ['issues:read'] });
  });

  it('covers method, path, query and form fields', async () => {
    const token = await accessToken();
    const path = '/v1/echo/a%20b?limit=2&limit=1&q=%C3%BC';
    const form = { title: 'a & b', 'list[]': 'ü' };
    const sent = await send(path, { token, form });
    expect(await sent.json()).toMatchObject({ body: { title: 'a & b', list: ['ü'] } });

    const header = (await captureHeader({ token, form })) ?? '';
    const other = (url: string, init: RequestInit): Promise<Response> =>
      fetch(address + url, { ...init, headers: { authorization: header } });
    const body = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);

    expect((await other('/v1/echo?a=2', { method: 'POST', body: body(form) })).status).toBe(401);
    expect((await other('/v1/echo/x?a=1', { method: 'POST', body: body(form) })).status).toBe(401);
    expect((await other('/v1/echo?a=1', { method: 'PUT', body: body(form) })).status).toBe(401);
    expect((await other('/v1/echo?a=1', { method: 'POST', body: body({ title: 'x' }) })).status).toBe(401);
    expect((await other('/v1/echo?a=1', { method: 'POST', body: body(form) })).status).toBe(200);
  });

  it('refuses replays, strangers and foreign secrets', async () => {
    const token = await accessToken();
    const call = (signing: Signing): Promise<Response> => send('/v1/me', { token, verb: 'GET', ...signing });
    expect((await call({ oauth: { oauth_nonce: 'once' } })).status).toBe(200);

    expect(await refusalOf(call({ oauth: { oauth_nonce: 'once' } }))).toEqual([401, 'nonce_used']);
    expect(await refusalOf(call({ token: { key: token.key, secret: 'x' } }))).toEqual([401, 'signature_invalid']);
    expect(await refusalOf(call({ token: { key: 'x', secret: 'x' } }))).toEqual([401, 'token_rejected']);
    expect(await refusalOf(send('/v1/me', { verb: 'GET' }))).toEqual([400, 'parameter_absent']);
    const pending = await requestToken();
    expect(await refusalOf(call({ token: pending }))).toEqual([401, 'token_rejected']);
  });

  it('has the scopes of the consent', async () => {
    const reader = await accessToken();
    const directory = await accessToken('&scope=directory:read');

    expect((await send('/v1/users', { token: reader, verb: 'GET' })).status).toBe(403);
    expect((await send('/v1/users', { token: directory, verb: 'GET' })).status).toBe(200);
    expect((await send('/v1/issues', { token: directory, verb: 'GET' })).status).toBe(403);
  });
});

/** Captures a signature for `POST /v1/echo?a=1` that is never sent: the hook reads it and sends another request. */
async function captureHeader(signing: Signing): Promise<string | undefined> {
  let captured: string | undefined;
  await send('/v1/echo?a=1', {
    ...signing,
    tamper: (header) => {
      captured = header;
      return 'Bearer nobody';
    },
  });
  return captured;
}
