import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ProviderDefinition, ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { type BuiltRequest, buildProviderRequest } from './build-request.ts';
import type { ProviderRequest, ProxyTarget } from './proxy-types.ts';
import { planRequests } from './request-plan.ts';

type Credentials = ProxyTarget['connection']['credentials'];

interface Given {
  entry?: Partial<ProviderDefinition>;
  source?: ProviderEntry['source'];
  proxy?: ProviderDefinition['proxy'];
  credentials?: Credentials;
  config?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  integration?: Partial<ProxyTarget['integration']>;
  request?: Partial<ProviderRequest>;
  allowedHosts?: string[];
}

const field = { type: 'string', title: 'F', description: 'F' } as const;

function build({
  entry,
  source = 'builtin',
  proxy,
  credentials = { type: 'API_KEY', apiKey: 'k' },
  config = {},
  metadata = {},
  integration,
  request,
  allowedHosts = [],
}: Given): BuiltRequest {
  const provider: ProviderEntry = {
    name: 'acme',
    source,
    display_name: 'Acme',
    auth_mode: 'API_KEY',
    proxy: { base_url: 'https://api.acme.test/v1', ...proxy },
    ...entry,
  };
  return buildProviderRequest({
    allowedHosts,
    plan: planRequests(provider),
    target: {
      environmentId: 1,
      providerName: 'acme',
      integration: { uniqueKey: 'acme', ...integration },
      connection: { id: 1, connectionId: 'c', credentials, connectionConfig: config, metadata },
    },
    request: { method: 'GET', endpoint: '/items', ...request },
    now: Date.UTC(2025, 0, 2, 3, 4, 5),
    random: '0d4f1c5e-0000-4000-8000-000000000000',
  });
}

const url = (given: Given): string => build(given).url.href;
const sent = (given: Given): string | undefined => build(given).rawPath;

describe('buildProviderRequest: address', () => {
  it.each(['/items', 'items', '///items', 'https://api.acme.test/v1/items', '/https://api.acme.test/v1/items'])(
    'appends the endpoint %s to the base',
    (endpoint) => {
      expect(url({ request: { endpoint } })).toBe('https://api.acme.test/v1/items');
    },
  );

  it('takes no look-alike for the base', () => {
    expect(
      build({
        proxy: { base_url: 'https://api.acme.test' },
        request: { endpoint: 'https://api.acme.test.evil.test/x' },
      }).url.host,
    ).toBe('api.acme.test');
  });

  it('recognises the base as it is written in the catalogue', () => {
    const proxy = { base_url: 'https://${connectionConfig.region}.acme.test' };

    expect(
      url({ proxy, config: { region: 'eu' }, request: { endpoint: 'https://${connectionConfig.region}.acme.test/x' } }),
    ).toBe('https://eu.acme.test/x');
  });

  it('drops one slash at the end of the base', () => {
    expect(url({ proxy: { base_url: 'https://api.acme.test/' } })).toBe('https://api.acme.test/items');
  });

  it('prefers the override and fills its placeholders', () => {
    expect(
      url({ config: { region: 'eu' }, request: { baseUrlOverride: 'https://${connectionConfig.region}.other.test' } }),
    ).toBe('https://eu.other.test/items');
    expect(url({ request: { baseUrlOverride: '' } })).toBe('https://api.acme.test/v1/items');
  });

  it('fills placeholders of the endpoint, with metadata and credentials in reach', () => {
    const request = { endpoint: '/sites/${metadata.site}/bots/${credentials.apiKey}/${connectionConfig.team}' };

    expect(url({ metadata: { site: 7 }, config: { team: 'a' }, request })).toBe(
      'https://api.acme.test/v1/sites/7/bots/k/a',
    );
  });

  it('keeps the path and query byte for byte', () => {
    expect(sent({ request: { endpoint: "/a%20b/../c%2Fd?q=%5B1%5D&f[]='x'&e=" } })).toBe(
      "/v1/a%20b/../c%2Fd?q=%5B1%5D&f[]='x'&e=",
    );
  });

  it('lets the URL encode what may not be sent as it is', () => {
    const built = build({ request: { endpoint: '/search?q=hello wörld' } });

    expect(built.rawPath).toBeUndefined();
    expect(built.url.search).toBe('?q=hello%20w%C3%B6rld');
  });

  it('appends params given as text, and refuses them beside a query', () => {
    expect(sent({ request: { params: '?a=1' } })).toBe('/v1/items?a=1');
    expect(() => build({ request: { endpoint: '/items?x', params: 'a=1' } })).toThrow(
      expect.objectContaining({ code: 'invalid_query_params' }),
    );
  });

  it('sets params given as pairs one by one, in the place of those of the endpoint, and changes nothing else', () => {
    expect(sent({ request: { endpoint: '/items?a=0&b=%7E2&a=9&d', params: { c: 'x y', a: '1,2' } } })).toBe(
      '/v1/items?a=1%2C2&b=%7E2&d&c=x+y',
    );
  });

  it('sets the query of the entry last and drops what has no value', () => {
    const proxy = { query: { key: '${apiKey}', team: '${connectionConfig.team}' } };

    expect(sent({ proxy, request: { endpoint: '/items?key=mine&x=1' } })).toBe('/v1/items?key=k&x=1');
  });

  it('needs an endpoint or an override, and a base', () => {
    expect(() => build({ request: { endpoint: '' } })).toThrow(expect.objectContaining({ code: 'missing_api_url' }));
    expect(() => build({ entry: { proxy: {} } })).toThrow(expect.objectContaining({ code: 'unsupported_provider' }));
    expect(() => build({ request: { baseUrlOverride: 'ftp://a.test' } })).toThrow(
      expect.objectContaining({ code: 'base_url_override_not_allowed' }),
    );
  });

  it('sends no credential to another host because of a configuration value', () => {
    const proxy = { base_url: 'https://${connectionConfig.subdomain}.acme.test' };

    expect(() => build({ proxy, config: { subdomain: 'x.evil.test/' } })).toThrow(
      expect.objectContaining({ code: 'missing_connection_config' }),
    );
  });

  it('names private hosts that the entry itself writes, and only those', () => {
    expect(build({ source: 'workspace', proxy: { base_url: 'http://localhost:8000/api' } }).literalHosts).toEqual([
      'localhost:8000',
    ]);
    expect(build({ source: 'builtin', proxy: { base_url: 'https://api.acme.test' } }).literalHosts).toEqual([]);
    expect(
      build({
        source: 'workspace',
        proxy: { base_url: 'http://${connectionConfig.host}' },
        config: { host: '10.0.0.1' },
      }).literalHosts,
    ).toEqual([]);
    expect(build({ source: 'builtin', proxy: { base_url: 'http://127.0.0.1:9' } }).literalHosts).toEqual([
      '127.0.0.1:9',
    ]);
    expect(build({ request: { baseUrlOverride: 'http://localhost' } }).literalHosts).toEqual([]);
  });
});

describe('buildProviderRequest: authorization', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each<[Credentials, string | undefined]>([
    [{ type: 'OAUTH2', access_token: 't' }, 'Bearer t'],
    [{ type: 'APP', access_token: 't' }, 'Bearer t'],
    [{ type: 'OAUTH2_CC', token: 't' }, 'Bearer t'],
    [{ type: 'JWT', token: 't' }, 'Bearer t'],
    [{ type: 'SIGNATURE', token: 't' }, 'Bearer t'],
    [{ type: 'TWO_STEP', token: 't' }, 'Bearer t'],
    [{ type: 'BASIC', username: 'u', password: 'p' }, basic('u:p')],
    [{ type: 'BASIC', username: 'key', password: '' }, basic('key:')],
    [{ type: 'BASIC', username: 'key' }, basic('key:')],
    [{ type: 'API_KEY', apiKey: 'k' }, undefined],
    [{ type: 'BILL' }, undefined],
    [{}, undefined],
  ])('of %j is %s', (credentials, expected) => {
    expect(build({ credentials }).headers['authorization']).toBe(expected);
  });

  it('refuses credentials it cannot sign with', () => {
    expect(() => build({ credentials: { type: 'PASSKEY' } })).toThrow(
      expect.objectContaining({ code: 'unsupported_auth' }),
    );
    expect(() => build({ credentials: { type: 'OAUTH1', oauth_token: 'a', oauth_token_secret: 'b' } })).toThrow(
      expect.objectContaining({ code: 'unsupported_auth' }),
    );
  });

  it('signs OAuth 1 requests with the integration, over the final query', () => {
    const credentials = { type: 'OAUTH1', oauth_token: 'a', oauth_token_secret: 'b' };
    const headerOf = (endpoint: string) =>
      build({ credentials, integration: { clientId: 'id', clientSecret: 's' }, request: { endpoint } }).headers[
        'authorization'
      ];

    expect(headerOf('/items?a=1')).toMatch(/^OAuth oauth_consumer_key="id".*oauth_signature_method="HMAC-SHA1"/);
    expect(headerOf('/items?a=1')).not.toBe(headerOf('/items?a=2'));
  });

  it('signs TBA requests with the realm of the account', () => {
    const credentials = {
      type: 'TBA',
      token_id: 'a',
      token_secret: 'b',
      config_override: { client_id: 'id', client_secret: 's' },
    };

    expect(build({ credentials, config: { accountId: '123-sb1-x' } }).headers['authorization']).toMatch(
      /^OAuth realm="123_SB1-X".*HMAC-SHA256/,
    );
  });

  it.each([{ 'x-token': '${accessToken}' }, { cookie: '${credentials._cookies}' }])(
    'leaves TWO_STEP to an entry with %j',
    (headers) => {
      const built = build({ proxy: { headers }, credentials: { type: 'TWO_STEP', token: 't', _cookies: 'a=1; b=2' } });

      expect(built.headers).not.toHaveProperty('authorization');
      expect(Object.keys(headers).map((name) => built.headers[name])).toEqual(['cookie' in headers ? 'a=1; b=2' : 't']);
    },
  );
});

describe('buildProviderRequest: headers', () => {
  const oauth: Credentials = { type: 'OAUTH2', access_token: 't' };

  it('sends a further token header beside the default', () => {
    expect(build({ credentials: oauth, proxy: { headers: { 'x-token': '${accessToken}' } } }).headers).toMatchObject({
      authorization: 'Bearer t',
      'x-token': 't',
    });
  });

  it('lets the entry replace the default and the caller replace both', () => {
    const proxy = { headers: { authorization: 'Token ${accessToken}' } };

    expect(build({ credentials: oauth, proxy }).headers['authorization']).toBe('Token t');
    expect(
      build({ credentials: oauth, proxy, request: { headers: { Authorization: 'Mine' } } }).headers['authorization'],
    ).toBe('Mine');
  });

  it("lets the user-agent of the entry win over the caller's, and has one of its own", () => {
    const request = { headers: { 'User-Agent': 'caller' } };

    expect(build({ proxy: { headers: { 'user-agent': 'entry' } }, request }).headers['user-agent']).toBe('entry');
    expect(build({ request }).headers['user-agent']).toBe('caller');
    expect(build({}).headers['user-agent']).toBe('Homeport');
  });

  it.each([[{}], [{ context: '' }]])('leaves out an optional configuration header: %j', (config) => {
    const built = build({ proxy: { headers: { 'x-context': '${connectionConfig.context}' } }, config });

    expect(built.headers).not.toHaveProperty('x-context');
    expect(built.warnings).toEqual([]);
  });

  it('leaves out any other header without a value and warns', () => {
    const built = build({ proxy: { headers: { 'x-token': '${accessToken}' } } });

    expect(built.headers).not.toHaveProperty('x-token');
    expect(built.warnings).toEqual([expect.stringContaining('x-token')]);
  });

  it.each<[string, Credentials, string | undefined]>([
    ['${apiKey}', { type: 'API_KEY', apiKey: 'k' }, 'k'],
    ['${credentials.raw.account}', { type: 'API_KEY', raw: { account: 'a' } }, 'a'],
    ['${clientId}', oauth, 'id'],
    ['${credentials.access_token}', oauth, undefined],
    ['${connectionConfig.c}-${credentials.access_token}', oauth, 'cfg-t'],
    ['${connectionConfig.c}-${accessToken}', oauth, undefined],
    ['${clientId}', { type: 'API_KEY' }, undefined],
    ['${credentials.a}', { type: 'TWO_STEP', a: 'x' }, 'x'],
    ['${a}', { type: 'TWO_STEP', a: 'x' }, undefined],
    ['${token}', { type: 'JWT', token: 't' }, undefined],
    ['${accessToken}', { type: 'JWT', token: 't' }, 't'],
  ])('resolves %s for %j to %s', (template, credentials, expected) => {
    expect(
      build({
        proxy: { headers: { 'x-h': template } },
        credentials,
        config: { c: 'cfg' },
        integration: { clientId: 'id' },
      }).headers['x-h'],
    ).toBe(expected);
  });

  it('gives one time and one random value to all headers', () => {
    const { headers } = build({
      proxy: { headers: { 'x-a': '${random}', 'x-b': '${base64(${random})}', 'x-date': '${now:X}' } },
    });

    expect(headers['x-b']).toBe(Buffer.from(headers['x-a'] ?? '').toString('base64'));
    expect(headers['x-date']).toBe(String(Date.UTC(2025, 0, 2, 3, 4, 5) / 1000));
  });

  it('lets entries sign the request', () => {
    const proxy = {
      headers: {
        'x-sig': '${hmacSha1Hex(${method}\n${host}${path}\n${params}, ${apiKey})}',
        'x-hash': '${sha256Hex(${bodyCanonicalParams})}',
        'x-query': '${urlCanonicalParams}',
        'x-endpoint': '${endpoint}',
      },
    };
    const text = '{"b":2,"a":"x y"}';

    const { headers } = build({
      proxy,
      request: { method: 'post', endpoint: '/items?z=1&b=(2)', body: { kind: 'json', text } },
    });

    expect(headers['x-sig']).toBe(
      createHmac('sha1', 'k').update('POST\napi.acme.test/v1/items\na=x%20y&b=2').digest('hex'),
    );
    expect(headers['x-hash']).toBe(createHash('sha256').update(text).digest('hex'));
    expect(headers['x-query']).toBe('b=%282%29&z=1');
    expect(headers['x-endpoint']).toBe('items?z=1&b=(2)');
  });

  it('refuses line breaks in values from anywhere', () => {
    const refused = expect.objectContaining({ code: 'invalid_headers' });

    expect(() =>
      build({
        proxy: { headers: { 'x-key': '${apiKey}' } },
        credentials: { type: 'API_KEY', apiKey: 'k\r\nx-evil: 1' },
      }),
    ).toThrow(refused);
    expect(() => build({ proxy: { headers: { 'x-c': '${connectionConfig.c}' } }, config: { c: 'a\nb' } })).toThrow(
      refused,
    );
    expect(() => build({ request: { headers: { 'x-a': 'b\r\nc: d' } } })).toThrow(refused);
    expect(() => build({ request: { headers: { 'x-a\r\nb': 'c' } } })).toThrow(refused);
    expect(() => build({ credentials: { type: 'OAUTH2', access_token: 'a\nb' } })).toThrow(refused);
  });

  it('does not let the caller name the host or frame the message', () => {
    const { headers } = build({
      request: {
        headers: { Host: 'evil.test', 'Content-Length': '0', 'Transfer-Encoding': 'chunked', Connection: 'close' },
      },
    });

    expect(Object.keys(headers).sort()).toEqual(['accept', 'user-agent']);
  });

  it('names the headers that carry credentials', () => {
    expect(
      build({ proxy: { headers: { 'x-key': '${apiKey}', 'x-version': '${connectionConfig.v}' } }, config: { v: '1' } })
        .sensitiveHeaders,
    ).toEqual(['x-key']);
  });
});

describe('buildProviderRequest: integration configuration', () => {
  const entry: Partial<ProviderDefinition> = {
    proxy: {},
    integration_config: {
      keyName: field,
      baseUrl: field,
      keyPlacement: { ...field, default_value: 'header' },
      valueTemplate: { ...field, default_value: '${apiKey}' },
    },
  };
  const custom = { baseUrl: 'http://localhost:9000/api', keyName: 'X-Api-Key' };

  it('places the key in a header, and allows the host the user wrote', () => {
    const built = build({ entry, integration: { custom: { ...custom, valueTemplate: 'Key ${apiKey}' } } });

    expect(built).toMatchObject({
      url: new URL('http://localhost:9000/api/items'),
      literalHosts: ['localhost:9000'],
      sensitiveHeaders: ['x-api-key'],
    });
    expect(built.headers['x-api-key']).toBe('Key k');
  });

  it('places the key in the query', () => {
    expect(sent({ entry, integration: { custom: { ...custom, keyPlacement: 'query' } } })).toBe(
      '/api/items?X-Api-Key=k',
    );
  });
});

describe('buildProviderRequest: body', () => {
  const json = { kind: 'json', text: '{"a":1}' } as const;

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('sends it with %s', (method) => {
    expect(build({ request: { method, body: json } })).toMatchObject({
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('sends none with GET', () => {
    expect(build({ request: { method: 'GET', body: json } }).body).toBeUndefined();
  });

  it('announces forms, texts and bytes, unless entry or caller do', () => {
    const typeOf = (request: Partial<ProviderRequest>, headers = {}) =>
      build({ proxy: { headers }, request: { method: 'POST', ...request } }).headers['content-type'];

    expect(typeOf({ body: { kind: 'form', text: 'a=1' } })).toBe('application/x-www-form-urlencoded');
    expect(typeOf({ body: { kind: 'bytes', bytes: Buffer.from('x'), contentType: 'image/png' } })).toBe('image/png');
    expect(typeOf({ body: json }, { 'content-type': 'application/vnd.acme+json' })).toBe('application/vnd.acme+json');
    expect(
      typeOf(
        { body: json, headers: { 'Content-Type': 'text/plain' } },
        { 'content-type': 'application/vnd.acme+json' },
      ),
    ).toBe('text/plain');
  });

  it('knows the content type of a body that came over HTTP', () => {
    const typeOf = (request: Partial<ProviderRequest>, headers = {}) =>
      build({
        proxy: { headers: { 'x-type': '${contentType}', ...headers } },
        request: {
          method: 'POST',
          body: { kind: 'bytes', bytes: Buffer.from('{}'), contentType: 'application/json' },
          ...request,
        },
      }).headers['x-type'];

    expect(typeOf({})).toBe('application/json');
    expect(typeOf({ headers: { 'Content-Type': 'text/plain' } })).toBe('text/plain');
    expect(typeOf({}, { 'content-type': 'application/vnd.acme+json' })).toBeUndefined();
    expect(typeOf({ method: 'GET' })).toBeUndefined();
  });

  it('encodes parts as a form of its own boundary', async () => {
    const body = {
      kind: 'multipart',
      parts: [
        { name: 'a"b', text: 'x' },
        { name: 'file', bytes: Buffer.from([0, 255]), filename: 'f.bin', contentType: 'application/x-f' },
      ],
    } as const;
    const built = build({
      request: {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data' },
        body: { ...body, parts: [...body.parts] },
      },
    });

    const form = await new Response(Buffer.from(built.body ?? ''), {
      headers: { 'content-type': built.headers['content-type'] ?? '' },
    }).formData();

    expect(form.get('a"b')).toBe('x');
    expect(form.get('file')).toMatchObject({ name: 'f.bin', type: 'application/x-f', size: 2 });
  });

  it('keeps the boundary of a form that arrives encoded', () => {
    const body = {
      kind: 'bytes',
      bytes: Buffer.from('--b--'),
      contentType: 'multipart/form-data; boundary=b',
    } as const;

    expect(
      build({ request: { method: 'POST', headers: { 'content-type': 'multipart/form-data' }, body } }).headers[
        'content-type'
      ],
    ).toBe('multipart/form-data; boundary=b');
  });

  it('merges the members of the entry, dropping those without a value', () => {
    const proxy = {
      body: { auth: { key: '${apiKey}', team: '${connectionConfig.team}' }, empty: { x: '${connectionConfig.x}' } },
    };
    const bodyOf = (body: ProviderRequest['body']) =>
      build({ proxy, request: { method: 'POST', ...(body ? { body } : {}) } }).body;

    expect(bodyOf({ kind: 'json', text: '{"a":null,"auth":{"key":"mine","b":2}}' })).toBe(
      '{"a":null,"auth":{"key":"k","b":2}}',
    );
    expect(bodyOf({ kind: 'form', text: 'a=1' })).toBe('a=1&auth%5Bkey%5D=k');
    expect(bodyOf({ kind: 'json', text: '[1]' })).toBe('[1]');
    expect(bodyOf(undefined)).toBe('{"auth":{"key":"k"}}');
  });

  it('takes a client certificate from the credentials and refuses what is no PEM', () => {
    const pem = (label: string) => `-----BEGIN ${label}-----\\nQUJD\\n-----END ${label}-----`;

    expect(
      build({
        credentials: {
          type: 'OAUTH2_CC',
          token: 't',
          client_certificate: pem('CERTIFICATE'),
          client_private_key: pem('PRIVATE KEY'),
        },
      }).tls,
    ).toEqual({
      cert: '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n',
      key: '-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n',
    });
    expect(() =>
      build({ credentials: { type: 'OAUTH2_CC', token: 't', client_certificate: 'x', client_private_key: 'y' } }),
    ).toThrow(expect.objectContaining({ code: 'invalid_certificate_or_key_format' }));
    expect(() =>
      build({ entry: { require_client_certificate: true }, credentials: { type: 'OAUTH2_CC', token: 't' } }),
    ).toThrow(expect.objectContaining({ code: 'invalid_certificate_or_key_format' }));
  });

  it('takes no certificate from a key that signs assertions', () => {
    expect(
      build({
        entry: { token_request_auth_method: 'private_key_jwt' },
        credentials: { type: 'OAUTH2_CC', token: 't', client_private_key: '{"kty":"RSA"}' },
      }).tls,
    ).toBeUndefined();
  });
});

describe('credentials', () => {
  const entry: Partial<ProviderDefinition> = {
    auth_mode: 'OAUTH2',
    token_url: 'https://login.${connectionConfig.tenant}.acme.test/token',
    refresh_url: 'https://refresh.acme.test/token',
    connection_config: { tenant: { ...field, pattern: '^[a-z]+$' }, secret: { ...field, secret: true } },
  };
  const proxy: ProviderDefinition['proxy'] = {
    base_url: 'https://${connectionConfig.tenant}.acme.test || https://api.acme.test',
    headers: { 'x-token': '${accessToken}', 'x-version': '2' },
    query: { key: '${accessToken}', lang: 'en' },
    verification: { endpoints: ['/me'], base_url_override: 'https://verify.acme.test' },
  };
  const given = (request: Partial<ProviderRequest>, allowedHosts: string[] = []): Given => ({
    entry,
    proxy,
    allowedHosts,
    credentials: { type: 'OAUTH2', access_token: 'the-token', refresh_token: 'more' },
    config: { tenant: 'mine', secret: 'hidden' },
    integration: { clientId: 'id', clientSecret: 'client-secret' },
    request,
  });
  const OWN = [
    'https://mine.acme.test',
    'https://api.acme.test',
    'https://login.mine.acme.test/x',
    'https://refresh.acme.test',
    'https://verify.acme.test',
    'https://other.test',
    'http://nas.local:8080',
  ];
  const FOREIGN = [
    'https://evil.test',
    'https://login.acme.test',
    'https://mine.acme.test:8443',
    'http://mine.acme.test',
    'https://mine.acme.test.evil.test',
    'https://mine.acme.test@evil.test',
    'http://nas.local',
  ];
  const hosts = ['other.test', 'nas.local:8080'];

  it.each(OWN)('go to %s', (baseUrlOverride) => {
    for (const how of [{ hidesCredentials: true }, { followsLink: true }, {}])
      expect(build(given({ baseUrlOverride, ...how }, hosts)).headers['authorization']).toBe('Bearer the-token');
  });

  it.each(FOREIGN)('go to %s only for a caller who may read them', (baseUrlOverride) => {
    expect(build(given({ baseUrlOverride }, hosts)).headers['authorization']).toBe('Bearer the-token');
    expect(() => build(given({ baseUrlOverride, hidesCredentials: true }, hosts))).toThrow(
      expect.objectContaining({
        code: 'base_url_override_forbidden',
        message: expect.stringContaining(new URL(baseUrlOverride).host),
      }),
    );
  });

  it.each(FOREIGN)('do not follow a link to %s', (baseUrlOverride) => {
    const built = build(
      given(
        {
          baseUrlOverride,
          followsLink: true,
          endpoint: '/x?a=${connectionConfig.secret}${accessToken}',
          headers: { Authorization: 'Bearer own', 'x-own': 'kept' },
        },
        hosts,
      ),
    );

    expect(JSON.stringify([built.url.href, built.headers, built.body, built.tls])).not.toMatch(
      /the-token|Bearer|hidden|client-secret|more/,
    );
    expect(built.headers).toMatchObject({ 'x-version': '2', 'x-own': 'kept' });
    expect(built.url.searchParams.get('lang')).toBe('en');
  });

  it('follow a redirect to addresses of the integration only', () => {
    const { isOwn } = build(given({}, hosts));

    expect(OWN.map((one) => isOwn(new URL(one)))).toEqual(OWN.map(() => true));
    expect(FOREIGN.map((one) => isOwn(new URL(one)))).toEqual(FOREIGN.map(() => false));
  });
});
