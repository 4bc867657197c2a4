import { createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider, type RecordedRequest } from '../../../../test/support/fake-provider.ts';
import { TOKEN_NOW, tokenContext } from '../../../../test/support/token-fixture.ts';
import type { ProviderDefinition } from '../../../integrations/catalog/entry-schema.ts';
import type { TokenContext } from '../token-context.ts';
import { exchangeOAuth1Token, requestOAuth1Token } from './oauth1-tokens.ts';

const CONSUMER = { id: 'consumer', secret: 'consumer secret&' };
const CALLBACK = 'http://localhost:3003/oauth/callback?state=s%20t';
const TEMPORARY = { key: 'temporary', secret: 'temporary+secret' };

let provider: FakeProvider;

beforeAll(async () => {
  provider = await FakeProvider.start();
});
afterEach(() => void provider.requests.splice(0));
afterAll(() => provider.stop());

function contextOf(entry: Partial<ProviderDefinition> = {}): TokenContext {
  const { address } = provider;
  return tokenContext({
    entry: { auth_mode: 'OAUTH1', request_url: `${address}/request`, token_url: `${address}/token`, ...entry },
  });
}

function respondWith(route: string, body = 'oauth_token=key%2B1&oauth_token_secret=secret%3D1&screen_name=me'): void {
  provider.on(route, { body, headers: { 'content-type': 'text/plain' } });
}

function last(): RecordedRequest {
  const request = provider.requests.at(-1);
  if (!request) throw new Error('Nothing was sent.');
  return request;
}

/** The protocol's parameters, as the header carries them. */
function headerOf({ headers }: RecordedRequest): Record<string, string> {
  const pairs = String(headers['authorization'])
    .replace(/^OAuth /, '')
    .split(/,\s*/)
    .map((pair) => /^(\w+)="(.*)"$/.exec(pair) ?? []);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]));
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** RFC 5849 3.4.1, implemented independently: the signature base string of a request that the provider received. */
function baseStringOf(request: RecordedRequest): string {
  const url = new URL(request.url, provider.address);
  const { oauth_signature: _signature, ...protocol } = headerOf(request);
  const isForm = String(request.headers['content-type']).startsWith('application/x-www-form-urlencoded');
  const pairs = [
    ...url.searchParams,
    ...(isForm ? new URLSearchParams(request.body.toString()) : []),
    ...Object.entries(protocol),
  ].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return [request.method, `${provider.address}${url.pathname}`, pairs.sort().join('&')].map(encode).join('&');
}

function hmacOf(request: RecordedRequest, tokenSecret: string): string {
  return createHmac('sha1', `${encode(CONSUMER.secret)}&${encode(tokenSecret)}`)
    .update(baseStringOf(request))
    .digest('base64');
}

describe('asking for a temporary token', () => {
  it('signs the address to come back to', async () => {
    respondWith('POST /request');

    expect(await requestOAuth1Token(contextOf(), CONSUMER, CALLBACK)).toEqual({ key: 'key+1', secret: 'secret=1' });

    expect(headerOf(last())).toMatchObject({
      oauth_callback: CALLBACK,
      oauth_consumer_key: 'consumer',
      oauth_signature_method: 'HMAC-SHA1',
      oauth_version: '1.0',
      oauth_timestamp: String(TOKEN_NOW / 1000),
      oauth_signature: hmacOf(last(), ''),
    });
    expect(headerOf(last())).not.toHaveProperty('oauth_token');
    expect(last().body.toString()).toBe('');
  });

  it('sends and signs the parameters of the entry', async () => {
    respondWith('POST /request');

    await requestOAuth1Token(contextOf({ request_params: { x_auth_access_type: 'write & read' } }), CONSUMER, CALLBACK);

    expect(last().body.toString()).toBe('x_auth_access_type=write+%26+read');
    expect(headerOf(last())['oauth_signature']).toBe(hmacOf(last(), ''));
  });

  it('puts them into the query with GET', async () => {
    respondWith('GET /request');
    const entry = { request_http_method: 'GET', request_params: { expiration: 'never' } } as const;

    await requestOAuth1Token(contextOf(entry), CONSUMER, CALLBACK);

    expect(last().url).toBe('/request?expiration=never');
    expect(headerOf(last())['oauth_signature']).toBe(hmacOf(last(), ''));
  });

  it('shows the secrets themselves with PLAINTEXT', async () => {
    respondWith('POST /request');

    await requestOAuth1Token(contextOf({ signature_method: 'PLAINTEXT' }), CONSUMER, CALLBACK);

    expect(headerOf(last())).toMatchObject({
      oauth_signature_method: 'PLAINTEXT',
      oauth_signature: `${encode(CONSUMER.secret)}&`,
    });
  });

  it('signs with the private key with RSA-SHA1', async () => {
    respondWith('POST /request');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

    await requestOAuth1Token(contextOf({ signature_method: 'RSA-SHA1' }), { id: 'consumer', secret }, CALLBACK);

    const { oauth_signature: signature = '', oauth_signature_method: method } = headerOf(last());
    const check = createVerify('RSA-SHA1').update(baseStringOf(last()));
    expect([method, check.verify(publicKey, signature, 'base64')]).toEqual(['RSA-SHA1', true]);
  });

  it('follows a redirect with a signature of its own', async () => {
    respondWith('POST /moved');
    provider.on('POST /request', { status: 302, headers: { location: '/moved?now=here' } });

    await requestOAuth1Token(contextOf({ request_params: { a: 'b' } }), CONSUMER, CALLBACK);

    expect(last().url).toBe('/moved?now=here');
    expect(headerOf(last())['oauth_signature']).toBe(hmacOf(last(), ''));
  });

  it('stops after some redirects', async () => {
    provider.on('POST /request', { status: 302, headers: { location: '/request' } });

    await expect(requestOAuth1Token(contextOf(), CONSUMER, CALLBACK)).rejects.toMatchObject({ code: 'token_err' });
    expect(provider.requests.length).toBe(6);
  });

  it.each([
    ['http://first.test/request', 'HMAC-SHA1'],
    ['https://second.test/request', 'PLAINTEXT'],
    ['ftp://first.test/request', 'HMAC-SHA1'],
    ['http://[', 'HMAC-SHA1'],
  ] as const)('does not take its signature to %s with %s', async (location, signature_method) => {
    const asked: string[] = [];
    const context: TokenContext = {
      ...contextOf({ request_url: 'https://first.test/request', signature_method }),
      send: async ({ url }) => {
        asked.push(url);
        return { status: 302, headers: { location }, text: '', json: undefined };
      },
    };

    await expect(requestOAuth1Token(context, CONSUMER, CALLBACK)).rejects.toMatchObject({ code: 'token_err' });
    expect(asked).toEqual(['https://first.test/request']);
  });

  it.each([
    [401, 'oauth_problem=consumer_key_unknown', 'consumer_key_unknown'],
    [401, '{"message":"Who are you?"}', 'Who are you?'],
    [200, 'oauth_token=only', 'status 200'],
    [500, '<h1>Oops</h1>', 'status 500'],
  ])('says what the provider said (%i %s)', async (status, body, said) => {
    provider.on('POST /request', { status, body });

    await expect(requestOAuth1Token(contextOf(), CONSUMER, CALLBACK)).rejects.toMatchObject({
      code: 'token_err',
      message: expect.stringContaining(said),
    });
  });

  it('repeats no secret that the provider repeats', async () => {
    provider.on('POST /request', { status: 401, body: { error: `bad key for ${CONSUMER.secret}` } });

    const thrown = await requestOAuth1Token(contextOf(), CONSUMER, CALLBACK).catch((error: Error) => error);

    expect((thrown as Error).message).toContain('bad key for REDACTED');
  });
});

describe('exchanging it for a lasting token', () => {
  it('signs with its secret and keeps the whole answer', async () => {
    respondWith('POST /token');
    const context = contextOf({ token_params: { format: 'form' } });

    const { credentials } = await exchangeOAuth1Token(context, CONSUMER, TEMPORARY, 'the-verifier');

    expect(headerOf(last())).toMatchObject({
      oauth_token: 'temporary',
      oauth_verifier: 'the-verifier',
      oauth_signature: hmacOf(last(), TEMPORARY.secret),
    });
    expect(headerOf(last())).not.toHaveProperty('oauth_callback');
    expect(last().body.toString()).toBe('format=form');
    expect(credentials).toEqual({
      type: 'OAUTH1',
      oauth_token: 'key+1',
      oauth_token_secret: 'secret=1',
      raw: { oauth_token: 'key+1', oauth_token_secret: 'secret=1', screen_name: 'me' },
    });
  });

  it('joins both secrets with PLAINTEXT', async () => {
    respondWith('POST /token');

    await exchangeOAuth1Token(contextOf({ signature_method: 'PLAINTEXT' }), CONSUMER, TEMPORARY, 'v');

    expect(headerOf(last())['oauth_signature']).toBe(`${encode(CONSUMER.secret)}&${encode(TEMPORARY.secret)}`);
  });

  it('uses GET where the entry says so', async () => {
    respondWith('GET /token');

    await exchangeOAuth1Token(contextOf({ token_http_method: 'GET' }), CONSUMER, TEMPORARY, 'v');

    expect(headerOf(last())['oauth_signature']).toBe(hmacOf(last(), TEMPORARY.secret));
  });

  it('fails under its own name', async () => {
    provider.on('POST /token', { status: 401, body: 'no' });

    await expect(exchangeOAuth1Token(contextOf(), CONSUMER, TEMPORARY, 'v')).rejects.toMatchObject({
      code: 'token_exchange_failed',
      payload: { status: 401 },
    });
  });
});
