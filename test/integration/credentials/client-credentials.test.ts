import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueClientCredentials } from '../../../server/connections/credentials/auth-modes/issue-client-credentials.ts';
import type { TokenContext } from '../../../server/connections/credentials/token-context.ts';
import type { ProviderDefinition } from '../../../server/integrations/catalog/entry-schema.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { TOKEN_NOW, TOKEN_UUID, tokenContext } from '../../support/token-fixture.ts';

const client = { client_id: 'my id', client_secret: 'canary/secret+1' };

let provider: FakeProvider;

beforeEach(async () => {
  provider = await FakeProvider.start();
  provider.on('POST /token', { body: { access_token: 'T', expires_in: 3600 } });
});

afterEach(() => provider.stop());

function issue(
  rules: Partial<ProviderDefinition> = {},
  parts: Partial<TokenContext> = {},
  given: Record<string, unknown> = client,
) {
  const entry = {
    auth_mode: 'OAUTH2_CC' as const,
    token_url: `${provider.address}/token`,
    token_params: { grant_type: 'client_credentials' },
    ...rules,
  };
  return issueClientCredentials(tokenContext({ ...parts, entry }), given);
}

const received = () => {
  const [{ method, url, headers, body }] = provider.requests as [(typeof provider.requests)[0]];
  return { method, url, type: headers['content-type'], authorization: headers['authorization'], body: body.toString() };
};

describe('mintClientCredentials: the request', () => {
  it('sends a form with id and secret, and no Authorization header', async () => {
    await issue();

    expect(received()).toEqual({
      method: 'POST',
      url: '/token',
      type: 'application/x-www-form-urlencoded',
      authorization: undefined,
      body: 'client_id=my+id&client_secret=canary%2Fsecret%2B1&grant_type=client_credentials',
    });
    expect(provider.requests[0]?.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'Homeport' });
  });

  it('sends JSON', async () => {
    await issue({ body_format: 'json' });

    expect(received()).toMatchObject({
      type: 'application/json',
      body: JSON.stringify({ ...client, grant_type: 'client_credentials' }),
    });
  });

  it('sends everything in the query, behind a query that is there', async () => {
    await issue({ body_format: 'query', token_url: `${provider.address}/token?v=1` });

    expect(received()).toMatchObject({
      url: '/token?v=1&client_id=my+id&client_secret=canary%2Fsecret%2B1&grant_type=client_credentials',
      type: undefined,
      body: '',
    });
  });

  it('sends the client by Basic only', async () => {
    await issue({ token_request_auth_method: 'basic' });

    expect(received()).toMatchObject({
      authorization: `Basic ${Buffer.from('my id:canary/secret+1').toString('base64')}`,
      body: 'grant_type=client_credentials',
    });
  });

  it('sends the client as user name and password', async () => {
    await issue({ token_request_auth_method: 'custom' });

    expect(received().body).toBe('username=my+id&password=canary%2Fsecret%2B1&grant_type=client_credentials');
  });

  it('sends a signed assertion made with the JWK', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'key-1' };
    const { credentials } = await issue(
      { token_request_auth_method: 'private_key_jwt' },
      {},
      { client_id: 'me', client_private_key: JSON.stringify(jwk) },
    );

    const form = new URLSearchParams(received().body);
    expect([...form.keys()]).toEqual(['client_id', 'client_assertion_type', 'client_assertion', 'grant_type']);
    expect(form.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const verified = await jwtVerify(
      form.get('client_assertion') ?? '',
      createPublicKey({ key: { kty: jwk.kty, n: jwk.n, e: jwk.e } as JsonWebKey, format: 'jwk' }),
      { currentDate: new Date(TOKEN_NOW), audience: `${provider.address}/token` },
    );
    expect(verified.protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(verified.payload).toEqual({
      iss: 'me',
      sub: 'me',
      aud: `${provider.address}/token`,
      iat: TOKEN_NOW / 1_000,
      exp: TOKEN_NOW / 1_000 + 300,
      jti: TOKEN_UUID,
    });
    expect(credentials).toMatchObject({ client_id: 'me', client_secret: '', client_private_key: JSON.stringify(jwk) });
  });

  it('fills the parameters, dropping those without a value', async () => {
    await issue(
      {
        token_params: {
          grant_type: 'x',
          audience: '${connectionConfig.audience}',
          organization: '${connectionConfig.org}',
        },
        token_url: `${provider.address}/\${connectionConfig.path}`,
      },
      { connectionConfig: { audience: 'https://a.test', org: '', path: 'token' } },
    );

    expect([...new URLSearchParams(received().body)].slice(2)).toEqual([
      ['grant_type', 'x'],
      ['audience', 'https://a.test'],
    ]);
  });

  it.each([
    ['the connection', { connectionConfig: { oauth_scopes: 'a, b' }, app: { scopes: 'c' } }, undefined, 'a b'],
    ['the integration', { app: { scopes: 'c,d' } }, ',', 'c,d'],
    ['a list', { connectionConfig: { oauth_scopes: ['a', 'b'] } }, '+', 'a+b'],
  ])('asks for the scopes of %s', async (_name, parts, separator, expected) => {
    const { config } = await issue({ ...(separator ? { scope_separator: separator } : {}) }, parts);

    expect(new URLSearchParams(received().body).get('scope')).toBe(expected);
    expect(config).toHaveProperty('oauth_scopes');
  });

  it('lets the session overwrite and remove parameters by name', async () => {
    await issue(
      { token_params: { grant_type: 'client_credentials', resource: 'r', old: 'o' } },
      { connectionConfig: { authorization_params: { resource: 'mine', old: 'undefined', n: 5 } } },
    );

    expect([...new URLSearchParams(received().body)].slice(2)).toEqual([
      ['grant_type', 'client_credentials'],
      ['resource', 'mine'],
    ]);
  });
});

describe('mintClientCredentials: the answer', () => {
  it.each([
    ['access_token', { access_token: 'T' }],
    ['data.token', { data: { token: 'T' } }],
    ['jwt', { jwt: 'T' }],
  ])('reads the token from %s', async (_path, body) => {
    provider.on('POST /token', { status: 201, body });

    const { credentials } = await issue();

    expect(credentials).toEqual({
      type: 'OAUTH2_CC',
      token: 'T',
      ...client,
      expires_at: '2026-06-01T12:55:00.000Z',
      raw: body,
    });
  });

  it.each([
    [{ expires_in: 7200 }, {}, '2026-06-01T14:00:00.000Z'],
    [{ expires_in: 7_200_000 }, { expires_in_unit: 'milliseconds' as const }, '2026-06-01T14:00:00.000Z'],
    [{ expires_at: TOKEN_NOW / 1_000 + 60, expires_in: 7200 }, {}, '2026-06-01T12:01:00.000Z'],
    [{ expires_in: 'never' }, {}, '2026-06-01T12:55:00.000Z'],
  ])('expires as %j says', async (members, rules, expected) => {
    provider.on('POST /token', { body: { access_token: 'T', ...members } });

    expect((await issue(rules)).credentials.expires_at).toBe(expected);
  });

  it('puts the values that the entry names into the configuration', async () => {
    provider.on('POST /token', { body: { access_token: 'T', host: 'h', team: { id: 't' }, n: 5, ok: true } });

    const { config } = await issue({ token_response_metadata: ['host', 'team.id', 'n', 'ok', 'none'] });

    expect(config).toEqual({ host: 'h', 'team.id': 't', ok: true });
  });

  it('renews from what is stored', async () => {
    const first = await issue();
    provider.on('POST /token', { body: { access_token: 'T2' } });

    const second = await issue({}, {}, first.credentials);

    expect(second.credentials).toMatchObject({ token: 'T2', ...client, raw: { access_token: 'T2' } });
    expect(provider.requests[1]?.body.toString()).toBe(provider.requests[0]?.body.toString());
  });
});

describe('mintClientCredentials: failures', () => {
  it.each([
    ['missing_client_id', {}, { client_secret: 's' }],
    ['missing_client_secret', {}, { client_id: 'c' }],
    ['missing_client_secret', { token_request_auth_method: 'private_key_jwt' as const }, client],
    ['missing_token_url', { token_url: { OAUTH2: 'https://else.test' } }, client],
    ['missing_connection_config', { token_url: 'https://${connectionConfig.host}/token' }, client],
    [
      'invalid_certificate_or_key_format',
      { token_request_auth_method: 'private_key_jwt' as const },
      { client_id: 'c', client_private_key: '{"kty":"RSA","d":"canary"}' },
    ],
    ['invalid_certificate_or_key_format', { require_client_certificate: true }, client],
  ])('is %s before anything leaves: %j', async (code, rules, given) => {
    await expect(issue(rules, {}, given)).rejects.toMatchObject({
      code,
      status: 400,
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });

  it('repeats the short text of the provider without what was sent', async () => {
    const body = {
      error: 'invalid_client',
      error_description: `Unknown secret ${client.client_secret}\n of the client.`,
      details: 'canary-details',
    };
    provider.on('POST /token', { status: 401, body });

    await expect(issue()).rejects.toMatchObject({
      code: 'client_credentials_fetch_error',
      message:
        'The provider refused the client credentials (status 401): invalid_client, Unknown secret REDACTED of the client.',
    });
  });

  it.each([
    ['a page', { status: 500, body: '<html>canary</html>' }, 'refused the client credentials (status 500).'],
    [
      'a page as a member',
      { status: 500, body: { message: '<p>canary</p>' } },
      'refused the client credentials (status 500).',
    ],
    ['a redirect', { status: 302, headers: { location: '/else' } }, 'refused the client credentials (status 302).'],
    ['an answer without a token', { body: { token_type: 'bearer' } }, 'gave no token (status 200).'],
    ['an empty token', { body: { access_token: '' } }, 'gave no token (status 200).'],
    ['a list', { body: [{ access_token: 'canary' }] }, 'gave no token (status 200).'],
  ])('takes %s for a refusal', async (_name, response, ending) => {
    provider.on('POST /token', response);

    await expect(issue()).rejects.toMatchObject({
      code: 'client_credentials_fetch_error',
      message: `The provider ${ending}`,
    });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('mintClientCredentials: mutual TLS', () => {
  const serverPair = selfSigned('localhost');
  const clientPair = selfSigned('the client');
  let server: Server;
  let seen: Array<string | undefined>;

  beforeEach(async () => {
    seen = [];
    server = createServer({ ...serverPair, requestCert: true, ca: clientPair.cert }, (request, response) => {
      seen.push((request.socket as TLSSocket).getPeerCertificate().subject.CN as string);
      response.end('{"access_token":"T"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function mintOverTls(given: Record<string, unknown>) {
    const entry = {
      auth_mode: 'OAUTH2_CC' as const,
      token_url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
      require_client_certificate: true,
    };
    return issueClientCredentials(tokenContext({ entry, ca: serverPair.cert }), { ...client, ...given });
  }

  it('shows the certificate that was pasted on one line', async () => {
    const given = {
      client_certificate: clientPair.cert.trim().replaceAll('\n', '\\n'),
      client_private_key: clientPair.key.trim().replaceAll('\n', ' '),
    };

    const { credentials } = await mintOverTls(given);

    expect(seen).toEqual(['the client']);
    expect(credentials).toMatchObject({ token: 'T', ...given });
  });

  it('refuses a certificate and a key that are no pair', async () => {
    const given = { client_certificate: clientPair.cert, client_private_key: serverPair.key };

    await expect(mintOverTls(given)).rejects.toMatchObject({ code: 'invalid_certificate_or_key_format' });
    expect(seen).toEqual([]);
  });
});
